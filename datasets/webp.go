package datasets

import (
	"encoding/binary"
	"fmt"
)

// webpPixels returns how many pixels the decoder will make room for. It believes what each part
// of the file says of its own size, which need not be that of the picture.
func webpPixels(data []byte) (int, error) {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return 0, fmt.Errorf("%w: no WebP", ErrFormat)
	}
	most := 0
	for p := data[12:]; len(p) >= 8; {
		kind, n := string(p[:4]), int64(binary.LittleEndian.Uint32(p[4:]))
		p = p[8:]
		w, h := 0, 0
		switch {
		case kind == "VP8 " && len(p) >= 10:
			w, h = int(binary.LittleEndian.Uint16(p[6:])&0x3fff), int(binary.LittleEndian.Uint16(p[8:])&0x3fff)
		case kind == "VP8L" && len(p) >= 5:
			bits := binary.LittleEndian.Uint32(p[1:])
			w, h = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
		case kind == "VP8X" && len(p) >= 10:
			w, h = int(p[4])+int(p[5])<<8+int(p[6])<<16+1, int(p[7])+int(p[8])<<8+int(p[9])<<16+1
		}
		if w > 0 && h > 0 {
			if err := checkPixels(w, h); err != nil {
				return 0, err
			}
			most = max(most, w*h)
		}
		if n += n & 1; n > int64(len(p)) {
			break
		}
		p = p[n:]
	}
	return most, nil
}
