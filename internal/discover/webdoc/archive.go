package webdoc

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"example.com/whatis/internal/fetch"
)

// Limits of an archive: the members that are read, and their bytes in all, those that a
// workbook unpacks to included.
const (
	maxMembers  = 40
	maxExpanded = 24 << 20
	maxUnread   = 100
)

// memberTypes are the types of members that are read.
var memberTypes = map[string]string{"CSV": fetch.CSV, "XLSX": fetch.XLSX, "PDF": fetch.PDF, "JSON": fetch.JSON}

// readZIP reads the members of an archive, or the workbook that it is.
func (d *Document) readZIP(body []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	if slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == "xl/workbook.xml" }) {
		return d.readXLSX(body)
	}
	members := slices.DeleteFunc(slices.Clone(archive.File), func(f *zip.File) bool {
		return f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || strings.HasPrefix(path.Base(f.Name), ".")
	})
	left := int64(maxExpanded)
	for i, f := range members {
		name := strings.ToValidUTF8(f.Name, "?")
		kind := memberTypes[FormatOf(f.Name)]
		var content []byte
		if kind != "" && i < maxMembers && len(d.Markdown) < maxChars {
			content, left = unpackMember(f, kind, left)
		}
		if content == nil || !d.readMember(name, fetch.Page{URL: d.URL, ContentType: kind, Body: content}, maxCells/min(len(members), maxMembers)) {
			d.Truncated = true
			if len(d.Unread) < maxUnread {
				d.Unread = append(d.Unread, name)
			}
		}
	}
	if len(members) > 0 && len(d.Unread) == len(members) {
		return fmt.Errorf("%w: none of its members is a file of a kind that is read", ErrUnreadable)
	}
	return nil
}

// unpackMember returns the bytes of a member, nil if they or what they unpack to are more
// than left, and what is left then.
func unpackMember(f *zip.File, kind string, left int64) ([]byte, int64) {
	r, err := f.Open()
	if err != nil {
		return nil, left
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, left+1))
	size := int64(len(data))
	if inner, bad := zip.NewReader(bytes.NewReader(data), size); kind == fetch.XLSX && bad == nil {
		for _, part := range inner.File {
			size += int64(min(part.UncompressedSize64, maxExpanded))
		}
	}
	if err != nil || size > left {
		return nil, left
	}
	return data, left - size
}

// readMember adds a member of an archive, with its parts, and reports whether it could be read.
func (d *Document) readMember(name string, p fetch.Page, cells int) (ok bool) {
	m := Document{URL: d.URL, linked: map[string]bool{}, cells: max(cells, 200)}
	defer func() {
		if recover() != nil { // a library could not read it
			ok = false
		}
	}()
	if m.readAs(p) != nil {
		return false
	}
	d.Markdown += "# " + name + "\n\n" + m.Markdown + "\n"
	for _, part := range m.Parts {
		d.Parts = append(d.Parts, Part{name + ": " + part.Where, part.Text})
	}
	d.Truncated = d.Truncated || m.Truncated
	return true
}
