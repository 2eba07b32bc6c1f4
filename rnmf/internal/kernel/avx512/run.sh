#!/usr/bin/env bash
# Runs a Go test binary on an emulated processor with AVX-512: see README.md.
#
#	run.sh package [test flags]
#
# KERNEL is a Linux kernel image; MODEL one of the processors of "bochs -help cpu".
set -euo pipefail
root=$(cd "$(dirname "$0")/../../../.." && pwd)
package=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${KERNEL:?set KERNEL to a Linux kernel image (vmlinuz)}" "${MODEL:=corei7_skylake_x}" "${LIMIT:=3600}"

mkdir -p "$work/root/dev" "$work/root/proc" "$work/iso"
cd "$root"
export CGO_ENABLED=0 GOOS=linux GOARCH=amd64
go build -o "$work/root/init" ./rnmf/internal/kernel/avx512
go test -c -o "$work/root/test" "$package"
printf '%s\n' "$@" >"$work/root/args"
(cd "$work/root" && find . | cpio -o -H newc --quiet >"$work/iso/initrd")
cp "$KERNEL" "$work/iso/linux"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/iso/"
cat >"$work/iso/isolinux.cfg" <<-'END'
	default linux
	prompt 0
	timeout 0
	label linux
		kernel linux
		initrd initrd
		append console=ttyS0 mitigations=off nokaslr clearcpuid=xsaves,xsavec tsc=reliable panic=-1 quiet
END
xorriso -as mkisofs -quiet -o "$work/boot.iso" -b isolinux.bin -c boot.cat \
	-no-emul-boot -boot-load-size 4 -boot-info-table "$work/iso"
cat >"$work/bochsrc" <<-END
	cpu: model=$MODEL, count=1, ips=50000000, reset_on_triple_fault=0, ignore_bad_msrs=1
	memory: guest=1024, host=1024
	romimage: file=/usr/share/bochs/BIOS-bochs-latest
	vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
	ata0-master: type=cdrom, path=$work/boot.iso, status=inserted
	boot: cdrom
	com1: enabled=1, mode=file, dev=$work/serial
	display_library: term
	clock: sync=none
	log: $work/log
	panic: action=fatal
	error: action=report
	info: action=ignore
END
echo c >"$work/continue" # for a bochs with a debugger
touch "$work/serial"
# Its only display that needs no server needs a terminal.
TERM=xterm script -qefc "bochs -q -f $work/bochsrc -rc $work/continue" /dev/null >"$work/out" 2>&1 </dev/null &
bochs=$!
trap 'kill $bochs 2>/dev/null || true; wait; rm -rf "$work"' EXIT
tail -f --pid=$bochs "$work/serial" &
for ((second = 0; second < LIMIT; second++)); do
	sleep 1
	# Unless somebody reads what it shows, the emulator stops when the buffer is full.
	if [ -z "${screen-}" ]; then
		screen=$(sed -n 's/^Bochs connected to screen "\(.*\)".*/\1/p' "$work/out")
		[ -z "$screen" ] || cat "$screen" >/dev/null 2>&1 &
	fi
	if ! kill -0 $bochs 2>/dev/null; then
		tail -n 20 "$work/out" "$work/log"
		exit 1
	fi
	if grep -q '^emulated: ended:' "$work/serial"; then
		sleep 1
		grep -q '^emulated: ended: <nil>' "$work/serial"
		exit
	fi
done
echo "not done after $LIMIT s"
exit 1
