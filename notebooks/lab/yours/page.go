package yours

import (
	"context"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/robustnmf/robustnmf/viz"
)

// A shot is a picture of a page.
type shot struct{ *image.RGBA }

// Image implements viz.Figure.
func (s shot) Image() image.Image { return s.RGBA }

// gap is how many empty lines of a picture stand at least above a heading of a page.
const gap = 60

// whole cuts a picture of the top of a page at the last gap, so that it ends between two sections.
func whole(page *image.RGBA) *image.RGBA {
	b, empty, end := page.Bounds(), 0, 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		empty++
		for x := b.Min.X; x < b.Max.X; x++ {
			if page.RGBAAt(x, y) != page.RGBAAt(b.Min.X, b.Min.Y) {
				empty = 0
				break
			}
		}
		if empty == gap && y-b.Min.Y >= 2*gap { // below the title
			end = y - gap/2
		}
	}
	if end == 0 {
		return page
	}
	return page.SubImage(image.Rect(b.Min.X, b.Min.Y, b.Max.X, end)).(*image.RGBA)
}

// Page returns the top of a page of HTML as Chromium shows it, to the end of a section, and nil where there is none,
// or none that starts: a notebook does without the picture then.
func Page(path string) viz.Figure {
	folder, err := Folder()
	if err != nil {
		return nil
	}
	defer os.RemoveAll(folder)
	path, err = filepath.Abs(path)
	if err != nil {
		return nil
	}
	picture := filepath.Join(folder, "page.png")
	args := []string{"--headless=new", "--user-data-dir=" + folder, "--window-size=780,1000", "--force-device-scale-factor=1.5", "--hide-scrollbars",
		"--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking", "--screenshot=" + picture}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // it refuses to start otherwise; it sees this page only
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		cmd := exec.CommandContext(ctx, name, append(args, "file://"+filepath.ToSlash(path))...)
		cmd.Env = append(os.Environ(), "HOME="+folder)
		if cmd.Run() != nil {
			continue
		}
		f, err := os.Open(picture)
		if err != nil {
			continue
		}
		defer f.Close()
		if img, err := png.Decode(f); err == nil {
			s := shot{image.NewRGBA(img.Bounds())}
			draw.Draw(s.RGBA, img.Bounds(), img, img.Bounds().Min, draw.Src)
			return shot{whole(s.RGBA)}
		}
	}
	return nil
}
