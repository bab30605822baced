package blob

import "strings"

// The folders of the results bucket. Every other object there is the result of an upload, so
// that an upload whose name lies in one of them could take the name of what is kept in it.
const (
	Batches     = "batches/"         // the files of batches
	Catalogues  = "catalog/"         // files to be imported, which owners put there
	Discoveries = "discoveries/"     // the states and the results of discoveries
	Forecasts   = "forecasts/"       // cached forecasts, with their sound
	WebPages    = "scraped_content/" // pages as fetched, and as read
)

// FolderOf returns the folder of the results bucket that an object's name lies in, "" if it is
// in none.
func FolderOf(name string) string {
	for _, folder := range []string{Batches, Catalogues, Discoveries, Forecasts, WebPages} {
		if strings.HasPrefix(name, folder) {
			return folder
		}
	}
	return ""
}
