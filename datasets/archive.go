package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/robustnmf/robustnmf/internal/sniff"
)

// maxArchive bounds what an archive may unpack to, files that are no images
// with it, and once more what its images do: those of a zip may share bytes, and
// a sparse file of a tar has some that are not there. A variable for tests.
var maxArchive int64 = 1 << 32

// ReadTar reads the images of a tar archive, plain or gzip, as ReadImages does after it
// was unpacked: if a path comes twice, it reads the later one, and it follows hard links
// to images before them. Other links are passed over. Nothing is written to disk.
func ReadTar(ctx context.Context, r io.Reader, l ImageLayout) (*Set, error) {
	return readTar(ctx, r, l, maxValues())
}

func readTar(ctx context.Context, r io.Reader, l ImageLayout, limit int) (_ *Set, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if r, err = from.unpacked(); err != nil {
		return nil, err
	}
	c := newCollector(ctx, l, limit)
	r = &capReader{r: &ratioReader{of: from, r: r, free: freeUnpacked}, left: maxArchive}
	in := tar.NewReader(r)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			// The padding; after it gzip compares its checksum.
			if _, err := io.Copy(io.Discard, r); err != nil {
				return nil, archiveError("tar", err)
			}
			return c.set()
		} else if err != nil {
			return nil, archiveError("tar", err)
		}
		p := inside(h.Name)
		class, take := c.takes(p)
		c.stored = from.read
		switch {
		case !take:
		case h.Typeflag == tar.TypeReg:
			err = c.add(p, class, in)
		case h.Typeflag == tar.TypeLink: // the second name of a file
			err = c.link(p, class, inside(h.Linkname))
		}
		if err != nil {
			return nil, archiveError("tar", err)
		}
	}
}

// inside is a path as it is below the root of an archive.
func inside(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

// ReadZip reads the images of a zip archive of size bytes, as ReadImages does.
func ReadZip(ctx context.Context, r io.ReaderAt, size int64, l ImageLayout) (*Set, error) {
	return readZip(ctx, r, size, l, maxValues())
}

func readZip(ctx context.Context, r io.ReaderAt, size int64, l ImageLayout, limit int) (_ *Set, err error) {
	// A section, as a damaged archive points anywhere, before its beginning too.
	from := &source{ctx: ctx, at: io.NewSectionReader(r, 0, size)}
	defer func() { err = from.blame(err) }()
	in, err := zip.NewReader(from, size)
	if err != nil {
		return nil, notZip(from, err)
	}
	c := newCollector(ctx, l, limit)
	c.stored = size
	// The list of files, not the tree that zip.Reader makes of it: names that
	// are no valid paths are of no harm here.
	for _, f := range in.File {
		p := inside(strings.ReplaceAll(f.Name, `\`, "/"))
		class, take := c.takes(p)
		if !f.Mode().IsRegular() || !take {
			continue
		}
		if f.Flags&1 != 0 {
			return nil, fmt.Errorf("%w: %s is encrypted", ErrUnsupported, p)
		}
		file, err := f.Open()
		if err != nil {
			err = fmt.Errorf("%s: %w", p, readError(err))
		} else {
			err = c.add(p, class, file)
			file.Close()
		}
		if err != nil {
			return nil, archiveError("zip", err)
		}
	}
	return c.set()
}

// notZip is the error of a file that is no zip, or a damaged one.
func notZip(from io.ReaderAt, err error) error {
	head := make([]byte, 512)
	n, failed := from.ReadAt(head, 0)
	if failed != nil && !errors.Is(failed, io.EOF) {
		return archiveError("zip", err)
	}
	if head = head[:n]; !bytes.HasPrefix(head, []byte("PK")) {
		return fmt.Errorf("%w: %s", archiveError("zip", err), sniff.Kind(head))
	}
	if errors.Is(err, zip.ErrFormat) {
		return fmt.Errorf("%w: the archive is cut off or damaged: it does not end with the list of what it holds (%w)", ErrFormat, err)
	}
	return archiveError("zip", err)
}

func archiveError(kind string, err error) error {
	for _, known := range []error{ErrFormat, ErrTooLarge, ErrSize, ErrUnsupported} {
		if errors.Is(err, known) {
			return err
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", kind, readError(err))
	}
	return fmt.Errorf("%w: %s: %w", ErrFormat, kind, err)
}

// OpenImages reads the images of a folder, or of an archive (.tar, .tar.gz,
// .tgz, .zip), as ReadImages does. The set has the name of the folder or file.
func OpenImages(ctx context.Context, name string, l ImageLayout) (*Set, error) {
	info, err := statOf(name)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(name)
	var s *Set
	switch lower := strings.ToLower(base); {
	case info.IsDir():
		s, err = ReadImages(ctx, os.DirFS(name), l)
	case strings.HasSuffix(lower, ".zip"), strings.HasSuffix(lower, ".tar"),
		strings.HasSuffix(lower, ".tar.gz"), strings.HasSuffix(lower, ".tgz"):
		s, err = openArchive(ctx, name, strings.HasSuffix(lower, ".zip"), info.Size(), l)
		for _, ext := range []string{".zip", ".gz", ".tgz", ".tar"} {
			base = strings.TrimSuffix(base, ext)
		}
	default:
		return nil, fmt.Errorf("%w: %s is neither a folder nor a .tar, .tar.gz, .tgz or .zip", ErrUnsupported, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.Name = base
	return s, nil
}

func openArchive(ctx context.Context, name string, isZip bool, size int64, l ImageLayout) (*Set, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isZip {
		return ReadZip(ctx, f, size, l)
	}
	return ReadTar(ctx, f, l)
}
