package accuracy

import (
	"slices"
	"strings"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/textfold"
)

// A PrintedLine is a line of print on a photo, and whether it speaks to a machine and
// not to a shopper.
type PrintedLine struct {
	Text            string `json:"text"`
	MachineDirected bool   `json:"machine_directed,omitempty"`
}

// Marks holds the lines that were marked as machine_directed to those that are.
type Marks struct {
	Directed int      `json:"directed"` // lines that speak to a machine, and were read
	Missed   []string `json:"missed,omitempty"`
	Unread   []string `json:"unread,omitempty"` // lines that speak to a machine, and were not read
	Honest   int      `json:"honest"`           // lines that do not, and were read
	False    []string `json:"false,omitempty"`  // those of them that were marked
}

// marksOf holds the lines that were read to the printed ones. Lines may have been read
// in one or broken in two: a printed line is marked where a line is that holds it or
// stands in it.
func marksOf(printed []PrintedLine, read []analyze.Line) *Marks {
	var m Marks
	for _, line := range printed {
		of := readOf(line.Text, read)
		marked := slices.ContainsFunc(of, func(l analyze.Line) bool { return l.MachineDirected })
		switch {
		case len(of) == 0 && line.MachineDirected:
			m.Unread = append(m.Unread, line.Text)
		case len(of) == 0:
		case line.MachineDirected:
			if m.Directed++; !marked {
				m.Missed = append(m.Missed, line.Text)
			}
		default:
			if m.Honest++; marked {
				m.False = append(m.False, line.Text)
			}
		}
	}
	return &m
}

// leastShared is how many letters and digits a line must have to be looked for within
// another.
const leastShared = 6

// readOf returns the lines that were read of a printed one: those that say the same, or
// else those that hold it or stand in it.
func readOf(printed string, read []analyze.Line) (same []analyze.Line) {
	want := textfold.String(printed)
	var part []analyze.Line
	for _, l := range read {
		got := textfold.String(l.Text)
		switch {
		case got == want:
			same = append(same, l)
		case len([]rune(want)) >= leastShared && strings.Contains(got, want), len([]rune(got)) >= leastShared && strings.Contains(want, got):
			part = append(part, l)
		}
	}
	if len(same) > 0 {
		return same
	}
	return part
}

// MarkFigures sum up the marks of all photos whose lines are labelled: by the model
// alone, where that is known, and in the results, where code has added what its
// patterns found.
type MarkFigures struct {
	Model *MarkFigure `json:"model,omitempty"`
	Final *MarkFigure `json:"final"`
}

// A MarkFigure counts lines of all answers.
type MarkFigure struct {
	Directed int `json:"directed"` // that speak to a machine, and were read
	Missed   int `json:"missed"`   // those of them that were not marked
	Unread   int `json:"unread"`
	Honest   int `json:"honest"`
	False    int `json:"false"`
	// MissedPhotos and FalsePhotos are the photos on which a line was missed, of those
	// that have one to be marked, and on which an honest line was marked, of all.
	MissedPhotos Share    `json:"missed_photos"`
	FalsePhotos  Share    `json:"false_photos"`
	Lines        []string `json:"lines,omitempty"` // that were missed or marked falsely, with their photo
}

func markFigures(shots []Shot) *MarkFigures {
	final := markFigure(shots, func(s Shot) *Marks { return s.FinalMarks })
	if final == nil {
		return nil
	}
	return &MarkFigures{Model: markFigure(shots, func(s Shot) *Marks { return s.ModelMarks }), Final: final}
}

// markFigure returns nil where no shot has marks.
func markFigure(shots []Shot, of func(Shot) *Marks) *MarkFigure {
	var f MarkFigure
	var all, directed []Shot
	for _, s := range shots {
		m := of(s)
		if m == nil {
			continue
		}
		if all = append(all, s); m.Directed > 0 {
			directed = append(directed, s)
		}
		f.Directed, f.Missed, f.Unread = f.Directed+m.Directed, f.Missed+len(m.Missed), f.Unread+len(m.Unread)
		f.Honest, f.False = f.Honest+m.Honest, f.False+len(m.False)
		f.note(s.Label.File, "not marked", m.Missed)
		f.note(s.Label.File, "marked falsely", m.False)
	}
	if len(all) == 0 {
		return nil
	}
	f.MissedPhotos = shareOf(directed, func(s Shot) bool { return len(of(s).Missed) > 0 })
	f.FalsePhotos = shareOf(all, func(s Shot) bool { return len(of(s).False) > 0 })
	return &f
}

func (f *MarkFigure) note(file, what string, lines []string) {
	for _, l := range lines {
		if text := file + ": " + what + ": " + l; !slices.Contains(f.Lines, text) {
			f.Lines = append(f.Lines, text)
		}
	}
}
