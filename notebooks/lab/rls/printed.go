package rls

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// printed.csv holds Tables 1 to 7 of the paper, in percent.
//
//go:embed printed.csv
var tables string

// Printed returns a number of the paper's tables, "–" if it has none. level is the
// share removed or the deviation of the noise, metric is accuracy, nmi or purity.
func Printed(table int, set string, level float64, metric, method string) string {
	rows, err := csv.NewReader(strings.NewReader(tables)).ReadAll()
	if err != nil {
		panic(err) // it is part of the program
	}
	key := []string{fmt.Sprint(table), set, fmt.Sprintf("%g", level), metric}
	at := slices.Index(rows[0], method)
	for _, r := range rows[1:] {
		if at >= 0 && slices.Equal(r[:4], key) {
			return r[at]
		}
	}
	return "–"
}

// PrintedNumber is Printed as a number, NaN if the tables have none.
func PrintedNumber(table int, set string, level float64, metric, method string) float64 {
	v, err := strconv.ParseFloat(Printed(table, set, level, metric, method), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
