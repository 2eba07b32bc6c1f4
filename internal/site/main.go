// Command site makes the documents, the notebooks and the API of this repository a static
// site, with a search, that needs no network and no server:
//
//	go run ./notebooks -site FOLDER     # in the root of a clone
//	go -C internal/site run . FOLDER    # the same; FOLDER is relative to internal/site
//
// The folder is new, or empty. Notebooks and documents may show anything and run nothing, as
// package sanitize has it, and images are files of the repository. Notebooks are shown with the outputs that are saved in them. Links to files that are no
// page lead to the repository. An error names what could not be made or does not exist.
package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/robustnmf/robustnmf/internal/newfile"
)

const (
	module = "github.com/robustnmf/robustnmf"
	source = "https://" + module + "/blob/main/"
)

// A page is a document of the repository, or the API of a package.
type page struct {
	from  string // its file or folder in the repository
	to    string // its file in the site
	group string // under which it is listed
	title string
	body  template.HTML
}

// documents lists what is no notebook and no API, in the order of the list of pages.
var documents = []page{
	{from: "README.md", to: "index.html", group: "Guide", title: "Overview"},
	{from: "CHOOSING.md", to: "choosing.html", group: "Guide", title: "Choosing a model"},
	{from: "docs/MODELS.md", to: "models.html", group: "Guide", title: "Models"},
	{from: "docs/PYTHON.md", to: "python.html", group: "Guide", title: "From Python"},
	{from: "CONTRIBUTING.md", to: "contributing.html", group: "Guide", title: "Adding to it"},
	{from: "docs/PROMISES.md", to: "promises.html", group: "Guide", title: "Promises"},
	{from: "docs/GLOSSARY.md", to: "glossary.html", group: "Guide", title: "Glossary"},
	{from: "datasets/README.md", to: "data.html", group: "Guide", title: "Data sets"},
	{from: "datasets/embed/README.md", to: "embedded.html", group: "Guide", title: "Embedded data"},
	{from: "testdata/peers/price.md", to: "price.html", group: "Guide", title: "The price of robustness"},
	{from: "testdata/peers/results.md", to: "speed.html", group: "Guide", title: "Speed, on a Zen 4"},
	{from: "testdata/peers/results-zen3.md", to: "speed-zen3.html", group: "Guide", title: "Speed, on a Zen 3"},
	{from: "notebooks/lab/panels/results.md", to: "speed-panels.html", group: "Guide", title: "Speed of panels"},
	{from: "CHANGELOG.md", to: "changelog.html", group: "Guide", title: "Changes"},
	{from: "internal/release/LICENSES.md", to: "licences.html", group: "Guide", title: "Licences"},
}

//go:embed page.html.tmpl style.css search.js minisearch/minisearch.js minisearch/LICENSE.txt
var assets embed.FS

func main() {
	log.SetFlags(0)
	log.SetPrefix("site: ")
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		log.Fatal("usage: go run ./notebooks -site FOLDER")
	}
	n, err := generate("../..", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d pages: open %s\n", n, filepath.Join(os.Args[1], "index.html"))
}

// generate makes the site of the repository at root in the folder to, which is new or empty, and
// returns how many pages it has.
func generate(root, to string) (int, error) {
	if err := newfile.Folder(to); err != nil {
		return 0, err
	}
	files, err := os.OpenRoot(root)
	if err != nil {
		return 0, err
	}
	defer files.Close()
	pages := append([]page(nil), documents...)
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		return 0, err
	}
	for _, file := range notebooks {
		name := filepath.Base(file)
		pages = append(pages, page{from: "notebooks/" + name, to: "notebooks/" + strings.TrimSuffix(name, ".ipynb") + ".html", group: "Notebooks"})
	}
	folders, err := packages(root)
	if err != nil {
		return 0, err
	}
	for _, folder := range folders {
		pages = append(pages, page{from: folder, to: "api/" + strings.ReplaceAll(folder, "/", "-") + ".html", group: "Packages", title: folder})
	}
	s := &site{root: root, files: files, to: to, pages: pages, images: map[string]bool{}}
	for i := range pages {
		p := &pages[i]
		switch {
		case p.group == "Notebooks":
			err = s.notebook(p)
		case p.group == "Packages":
			err = s.api(p)
		default:
			err = s.document(p)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.from, err)
		}
	}
	return len(pages), s.write()
}

// A site has all pages, so that each can point at the others.
type site struct {
	root, to string
	files    *os.Root // of the repository: nothing else gets into a page
	pages    []page
	images   map[string]bool // files of the repository that pages show
}

// href returns the address, on page p, of what a link of its source points at: another
// page, an image, which is copied, or a file of the repository.
func (s *site) href(p *page, link string, image bool) (string, error) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "#") || strings.HasPrefix(link, "mailto:") || strings.HasPrefix(link, "data:") {
		return link, nil
	}
	file, fragment, found := strings.Cut(link, "#")
	if found {
		fragment = "#" + fragment
	}
	file = path.Join(path.Dir(p.from), file)
	if p.group == "Packages" {
		file = path.Join(p.from, file)
	}
	for _, other := range s.pages {
		if other.from == file {
			return up(p) + other.to + fragment, nil
		}
	}
	info, err := s.files.Stat(filepath.FromSlash(file))
	if err != nil {
		return "", err
	}
	if image {
		if !info.Mode().IsRegular() {
			return "", fmt.Errorf("%s is not a file", file)
		}
		s.images[file] = true
		return up(p) + "files/" + file, nil
	}
	return source + file + fragment, nil
}

// up leads from a page to the root of the site.
func up(p *page) string { return strings.Repeat("../", strings.Count(p.to, "/")) }

// write writes all pages, what they show and what they are made with.
func (s *site) write() error {
	tmpl, err := template.ParseFS(assets, "page.html.tmpl")
	if err != nil {
		return err
	}
	var index []section
	for i := range s.pages {
		p := &s.pages[i]
		var b bytes.Buffer
		if err := tmpl.Execute(&b, map[string]any{"Page": p, "Up": up(p), "Groups": s.groups(), "Source": source + p.from}); err != nil {
			return err
		}
		if err := s.file(p.to, b.Bytes()); err != nil {
			return err
		}
		found, err := sections(p)
		if err != nil {
			return err
		}
		index = append(index, found...)
	}
	for i := range index {
		index[i].ID = i
	}
	text, err := json.Marshal(index)
	if err != nil {
		return err
	}
	// A script, as a page that is read from a disk may not fetch a file.
	if err := s.file("search-index.js", append([]byte("const sections = "), text...)); err != nil {
		return err
	}
	for file := range s.images {
		data, err := fs.ReadFile(s.files.FS(), file)
		if err != nil {
			return err
		}
		if err := s.file("files/"+file, data); err != nil {
			return err
		}
	}
	css, err := assets.ReadFile("style.css")
	if err != nil {
		return err
	}
	colours, err := codeColours()
	if err != nil {
		return err
	}
	if err := s.file("style.css", append(css, colours...)); err != nil {
		return err
	}
	for _, name := range []string{"search.js", "minisearch/minisearch.js", "minisearch/LICENSE.txt"} {
		data, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		if err := s.file(name, data); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) file(name string, data []byte) error {
	name = filepath.Join(s.to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return newfile.Write(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// A group is a heading in the list of pages.
type group struct {
	Name  string
	Pages []link
}

type link struct{ To, Title string }

func (s *site) groups() (all []group) {
	for _, p := range s.pages {
		if len(all) == 0 || all[len(all)-1].Name != p.group {
			all = append(all, group{Name: p.group})
		}
		last := &all[len(all)-1]
		last.Pages = append(last.Pages, link{p.to, p.title})
	}
	return all
}

// To and the others are for the template.
func (p *page) To() string          { return p.to }
func (p *page) Title() string       { return p.title }
func (p *page) Body() template.HTML { return p.body }
