package datasets

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

const weather = `% a comment
@RELATION weather

@attribute 'air temp' numeric
@attribute	humidity	REAL
@attribute note string
@attribute play {yes, 'not so'}

@data
85,85,'it''s',yes
% another
83, ? ,"a, \"b\"",'not so'

-1e2,96,plain,yes
`

func TestReadARFF(t *testing.T) {
	text := strings.ReplaceAll(weather, "it''s", `it\'s`)
	s, err := ReadARFF(t.Context(), strings.NewReader(text), CSVLayout{ID: "note"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Features, s.Samples, s.Labels, s.Classes); got != `[air temp humidity] [it's a, "b" plain] [1 0 1] [not so yes]` {
		t.Error(got)
	}
	if s.X.At(0, 2) != -100 || s.X.At(1, 0) != 85 || !math.IsNaN(s.X.At(1, 1)) {
		t.Errorf("%v", s.X)
	}
	if s, err = ReadARFF(t.Context(), strings.NewReader(text), CSVLayout{Label: "note", Encode: []string{"play"}}); err != nil || fmt.Sprint(s.Features) != "[air temp humidity play=not so play=yes]" {
		t.Errorf("%v, %v", s, err)
	}
	for _, last := range []string{"play", "4", "-1"} { // which is no class where it has another use
		for _, l := range []CSVLayout{{ID: "note", Skip: []string{last}}, {ID: "note", Encode: []string{last}}} {
			if s, err := ReadARFF(t.Context(), strings.NewReader(text), l); err != nil || s.Labels != nil {
				t.Errorf("%+v: %v, %v", l, s, err)
			}
		}
	}
	for name, c := range map[string]struct {
		text string
		l    CSVLayout
		want error
		say  string
	}{
		"text":                {text, CSVLayout{}, ErrFormat, "line 10, column 3 (note)"},
		"a quote":             {weather, CSVLayout{ID: "note"}, ErrFormat, "line 10"},
		"sparse":              {"@attribute a real\n@data\n{0 1}\n", CSVLayout{}, ErrUnsupported, "SparseToNonSparse"},
		"no data":             {"@attribute a real\n", CSVLayout{}, ErrFormat, "@data"},
		"no attribute":        {"@data\n1\n", CSVLayout{}, ErrFormat, "@attribute"},
		"another line":        {"a,b\n1,2\n", CSVLayout{}, ErrFormat, "line 1"},
		"fewer fields":        {"@attribute a real\n@attribute b real\n@data\n1\n", CSVLayout{}, ErrFormat, "line 4"},
		"an open quote":       {"@attribute a real\n@data\n'1\n", CSVLayout{}, ErrFormat, "no end"},
		"a separator":         {text, CSVLayout{Separator: ';'}, ErrParameter, "Separator"},
		"a name that is long": {"@attribute " + strings.Repeat("x", 5000) + " real\n@data\n1\n", CSVLayout{}, ErrTooLarge, ""},
	} {
		if _, err := ReadARFF(t.Context(), strings.NewReader(c.text), c.l); !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReadARFF(f *testing.F) {
	f.Add([]byte(weather), "note")
	f.Add([]byte("@attribute a real\n@data\n{0 1}\n"), "")
	f.Add([]byte("@attribute a {x}\n@attribute '' real\n@data\n,\n"), "a")
	f.Fuzz(func(t *testing.T, data []byte, id string) {
		s, err := readARFF(t.Context(), strings.NewReader(string(data)), CSVLayout{ID: id}, 1<<20)
		if err == nil {
			err = s.Check()
			if err != nil {
				t.Error(err)
			}
		}
	})
}
