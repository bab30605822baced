package photo

import (
	"path"
	"slices"
	"strings"
)

// Extensions are the file name extensions of photos in folders and buckets. The format of a
// photo is detected by its content alone.
var Extensions = []string{".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tiff", ".tif", ".heic", ".heif"}

// Named reports whether name has such an extension, in any case.
func Named(name string) bool {
	return slices.Contains(Extensions, strings.ToLower(path.Ext(name)))
}
