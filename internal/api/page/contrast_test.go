package page_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var colour = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)

// schemes returns the colours of the style by name: light, and dark where they differ.
func schemes(t *testing.T) map[string]map[string]string {
	t.Helper()
	css, err := os.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(css), "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("the style has no dark scheme")
	}
	read := func(css string) map[string]string {
		found := map[string]string{}
		for _, m := range colour.FindAllStringSubmatch(css, -1) {
			found[m[1]] = m[2]
		}
		return found
	}
	all := map[string]map[string]string{"light": read(light), "dark": read(light)}
	maps.Copy(all["dark"], read(dark))
	return all
}

// luminance returns the relative luminance by WCAG 2.2 of a colour given as six hexadecimal
// digits.
func luminance(hex string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			panic(fmt.Sprint("no colour: ", hex))
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
			continue
		}
		sum += weight * math.Pow((c+0.055)/1.055, 2.4)
	}
	return sum
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Text has enough contrast on all its backgrounds.
func TestContrast(t *testing.T) {
	pairs := map[string][]string{
		"ink":       {"ground", "surface", "sunken", "bad-soft"},
		"soft":      {"ground", "surface", "sunken", "bad-soft"},
		"accent":    {"ground", "surface", "accent-soft"},
		"on-accent": {"accent"},
		"on-box":    {"box-name", "box-brand", "box-date", "box-code"},
		"warn":      {"warn-soft"},
		"bad":       {"bad-soft", "surface", "ground"},
	}
	for scheme, colours := range schemes(t) {
		for ink, grounds := range pairs {
			for _, ground := range grounds {
				if got := contrast(colours[ink], colours[ground]); got < 4.5 {
					t.Errorf("%s: %s on %s has the contrast %.2f, want 4.5 or more", scheme, ink, ground, got)
				}
			}
		}
	}
}
