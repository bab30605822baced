package photo

import (
	"path"
	"slices"
	"strings"
)

// Extensions are those by which photos are known in a folder or a bucket. What is
// sent is known by its content alone.
var Extensions = []string{".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tiff", ".tif", ".heic", ".heif"}

// Named reports a name with such an extension, in any case.
func Named(name string) bool {
	return slices.Contains(Extensions, strings.ToLower(path.Ext(name)))
}
