package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// FolderEnv is the environment variable that names the folder with the user's own
// data files.
const FolderEnv = "RNMF_DATA"

var (
	// ErrNotFound is returned when no file of a set is in any of the folders;
	// the message lists them and says what to do.
	ErrNotFound = errors.New("datasets: not found")
	// ErrAsk is returned by Download for a set that needs its owner's consent, or of
	// which no reliable public home is known; the message says where to ask.
	ErrAsk = errors.New("datasets: not for download")
	// ErrContent is returned when a file can be read but does not hold what it should,
	// such as the right number of samples.
	ErrContent = errors.New("datasets: not the expected data")
)

// A PublicSet is a public data set that is not part of this package: a file in the
// user's folder, or one to be downloaded.
type PublicSet struct {
	Name   string
	Credit string // owner and terms
	Home   string // page to read about it, or to ask for it

	folder string // of the cache and in the user's folder; "" is Name
	forms  []form
	remote []remote // nil: ask
	ask    string   // "to get it, ..." where remote is nil
}

// A form is one of the shapes in which a set comes.
type form struct {
	// files must all be there. Each is a list of names, one of which will do:
	// relative to a folder, with slashes; of a file or, with a slash at its end,
	// of a folder.
	files [][]string
	// samples and classes are what there must be; 0 if that varies.
	samples, classes int
	read             func(ctx context.Context, paths []string) (*Set, error)
}

// String returns the name.
func (s *PublicSet) String() string { return s.Name }

// Load reads the set from the first of these folders that has its files under one of
// their usual names: a folder with the name of the set in that of the environment
// variable RNMF_DATA, that folder itself, and the cache that Download fills. It downloads
// nothing.
//
// The error is ErrNotFound if there is no file; ErrContent if there is one that
// holds something else; that of the reader; or ctx.Err().
func (s *PublicSet) Load(ctx context.Context) (*Set, error) {
	folders := s.folders()
	for _, folder := range folders {
		for _, f := range s.forms {
			paths := f.find(folder)
			if paths == nil {
				continue
			}
			set, err := s.read(ctx, f, paths)
			if errors.Is(err, ErrNoImages) {
				continue // a folder of that name, but with something else
			}
			return set, err
		}
	}
	return nil, s.notFound(folders)
}

// Download fetches the set from its public home into the cache, which is the folder rnmf
// in os.UserCacheDir. Files that are there already are not fetched again, and an
// interrupted download is continued. A file of the cache that has not the known checksum is
// replaced. The folder RNMF_DATA is never changed: if it is the cache itself, that is an error.
//
// The progress function may be nil. It is called now and then, by one goroutine at a
// time, with the bytes of all files so far and in total; the total is -1 while it is not
// known.
//
// Files are compared with their known SHA-256, if there is one, and are read to
// see that they hold what they should; if not, they are removed. No checksum is
// known of the archives of ORL and COIL100, of the matrices of Yale, ExtendedYaleB,
// BinaryAlphadigits and UMIST, and of the tables of German, Vehicle and AutoMPG: of
// these only the format and the number of samples and classes are checked. The error is
// ErrAsk, ErrParameter, ErrServer, ErrChecksum, ErrTooLarge, ErrContent, that of the network,
// the file system or the reader, or ctx.Err().
func (s *PublicSet) Download(ctx context.Context, progress func(done, total int64)) error {
	if s.remote == nil {
		return s.mustAsk()
	}
	if progress == nil {
		progress = func(_, _ int64) {}
	}
	cache, err := cacheFolder()
	if err != nil {
		return fmt.Errorf("datasets: no folder to download to: %w", err)
	}
	folder := filepath.Join(cache, s.place())
	if own := os.Getenv(FolderEnv); own != "" {
		for _, place := range []string{own, filepath.Join(own, s.place())} {
			if sameFolder(place, folder) || sameFolder(place, cache) {
				return fmt.Errorf("%w: download of %s: %s names %s, which is the cache itself, and a download never changes your folder: unset %s, as Load finds the cache without it",
					ErrParameter, s.Name, FolderEnv, place, FolderEnv)
			}
		}
	}
	var before int64
	for k, r := range s.remote {
		var after int64
		for _, next := range s.remote[k+1:] {
			if next.size == 0 {
				after = -1
				break
			}
			after += next.size
		}
		var size int64
		err := r.fetch(ctx, folder, func(done, total int64) {
			size = done
			if total < 0 || after < 0 {
				progress(before+done, -1)
			} else {
				progress(before+done, before+total+after)
			}
		})
		if err != nil {
			return fmt.Errorf("download of %s (about it: %s): %w", s.Name, s.Home, err)
		}
		before += size
	}
	for _, f := range s.forms {
		paths := f.find(folder)
		if paths == nil {
			continue
		}
		if _, err := s.read(ctx, f, paths); err != nil {
			if ctx.Err() == nil {
				for _, r := range s.remote {
					err = errors.Join(err, remove(filepath.Join(folder, r.name)))
				}
			}
			return fmt.Errorf("download of %s: %w", s.Name, err)
		}
		return nil
	}
	return fmt.Errorf("download of %s: %w: no file that can be read", s.Name, ErrContent)
}

// read reads one form, checks it and puts name and credit.
func (s *PublicSet) read(ctx context.Context, f form, paths []string) (*Set, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	set, err := f.read(ctx, paths)
	where := strings.Join(paths, ", ")
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", s.Name, where, err)
	}
	if set.Name == "" {
		set.Name = s.Name
	}
	set.Credit = s.Credit
	if err := set.Check(); err != nil {
		return nil, fmt.Errorf("%s in %s: %w", s.Name, where, err)
	}
	_, n := set.X.Dims()
	if f.samples != 0 && n != f.samples || f.classes != 0 && len(set.Classes) != f.classes {
		return nil, fmt.Errorf("%w: %s has %d samples of %d classes, but %s holds %d of %d",
			ErrContent, s.Name, f.samples, f.classes, where, n, len(set.Classes))
	}
	return set, nil
}

// find returns the paths of a form's files, or nil if they are not all there.
func (f form) find(folder string) []string {
	var paths []string
	for _, names := range f.files {
		found := ""
		for _, name := range names {
			path := filepath.Join(folder, filepath.FromSlash(name))
			info, err := os.Stat(path)
			if err == nil && info.IsDir() == strings.HasSuffix(name, "/") {
				found = path
				break
			}
		}
		if found == "" {
			return nil
		}
		paths = append(paths, found)
	}
	return paths
}

// folders are those that Load looks in.
func (s *PublicSet) folders() []string {
	var folders []string
	if own := os.Getenv(FolderEnv); own != "" {
		folders = append(folders, filepath.Join(own, s.place()), own)
	}
	if cache, err := cacheFolder(); err == nil {
		folders = append(folders, filepath.Join(cache, s.place()))
	}
	return folders
}

func (s *PublicSet) place() string { return cmp.Or(s.folder, s.Name) }

func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "rnmf"), nil
}

// sameFolder tells whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func (s *PublicSet) notFound(folders []string) error {
	get := "to get it, call its Download, or"
	if s.remote == nil {
		get = "to get it, " + s.ask + " (" + s.Home + "); then"
	}
	return fmt.Errorf("%w: %s: no %s in %s; %s put it into %s",
		ErrNotFound, s.Name, s.wanted(", no "), strings.Join(folders, ", "), get, ownFolder())
}

func (s *PublicSet) mustAsk() error {
	return fmt.Errorf("%w: %s: to get it, %s (%s); then put %s into %s",
		ErrAsk, s.Name, s.ask, s.Home, s.wanted(" or "), ownFolder())
}

// wanted lists the names of the files of all forms.
func (s *PublicSet) wanted(or string) string {
	var forms []string
	for _, f := range s.forms {
		var all []string
		for _, names := range f.files {
			all = append(all, strings.Join(names, " or "))
		}
		forms = append(forms, strings.Join(all, " with "))
	}
	return strings.Join(forms, or)
}

func ownFolder() string {
	if own := os.Getenv(FolderEnv); own != "" {
		return own + " (" + FolderEnv + ")"
	}
	return "a folder and name that folder in " + FolderEnv
}

// reading opens a file for a reader.
func reading[T any](ctx context.Context, path string, read func(context.Context, io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(ctx, f)
}
