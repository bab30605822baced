package storage

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// rooted puts a request that leaves out the root of the JSON API under it, as
// Google's client for Node sends all but uploads when STORAGE_EMULATOR_HOST is set:
// /b/photos/o. No bucket is called so, as a name has three letters at least.
func rooted(u *url.URL) {
	first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if first != "b" && first != "projects" && first != "channels" {
		return
	}
	u.RawPath = "/storage/v1" + u.EscapedPath()
	u.Path = "/storage/v1" + u.Path
}

// served are the requests of the JSON API that fake-gcs-server answers.
var served = []struct {
	verbs string
	path  *regexp.Regexp
}{
	{"GET POST", regexp.MustCompile(`^/storage/v1/b/?$`)},
	{"GET PATCH POST DELETE", regexp.MustCompile(`^/storage/v1/b/[^/]+$`)},
	{"GET", regexp.MustCompile(`^/storage/v1/b/[^/]+/(?:storageLayout|o/?)$`)},
	{"GET POST PUT DELETE", regexp.MustCompile(`^/storage/v1/b/[^/]+/acl(?:/[^/]+)?$`)},
	{"GET HEAD PATCH PUT POST DELETE", regexp.MustCompile(`^/storage/v1/b/[^/]+/o/.+$`)},
	{"GET HEAD", regexp.MustCompile(`^/download/storage/v1/b/[^/]+/o/.+$`)},
	{"POST PUT DELETE", regexp.MustCompile(`^/upload/storage/v1/b/[^/]+/o/?$`)},
	{"POST PUT", regexp.MustCompile(`^/upload/resumable/[^/]+$`)},
	{"POST", regexp.MustCompile(`^/batch/storage/v1$`)},
}

// unserved are methods of the JSON API that the emulator lacks, by the names that
// the service has for them.
var unserved = []struct {
	name string
	path *regexp.Regexp
}{
	{"objects.move", regexp.MustCompile(`^/b/[^/]+/o/[^/]+/moveTo/`)},
	{"objects.restore", regexp.MustCompile(`^/b/[^/]+/o/[^/]+/restore$`)},
	{"objects.bulkRestore", regexp.MustCompile(`^/b/[^/]+/o/bulkRestore$`)},
	{"objects.watchAll", regexp.MustCompile(`^/b/[^/]+/o/watch$`)},
	{"objects.getIamPolicy, setIamPolicy and testIamPermissions", regexp.MustCompile(`^/b/[^/]+/o/[^/]+/iam(?:/|$)`)},
	{"buckets.getIamPolicy, setIamPolicy and testIamPermissions", regexp.MustCompile(`^/b/[^/]+/iam(?:/|$)`)},
	{"buckets.lockRetentionPolicy", regexp.MustCompile(`^/b/[^/]+/lockRetentionPolicy$`)},
	{"buckets.restore", regexp.MustCompile(`^/b/[^/]+/restore$`)},
	{"notifications", regexp.MustCompile(`^/b/[^/]+/notificationConfigs(?:/|$)`)},
	{"defaultObjectAccessControls", regexp.MustCompile(`^/b/[^/]+/defaultObjectAcl(?:/|$)`)},
	{"managedFolders", regexp.MustCompile(`^/b/[^/]+/managedFolders/`)},
	{"folders", regexp.MustCompile(`^/b/[^/]+/folders(?:/|$)`)},
	{"projects.serviceAccount.get", regexp.MustCompile(`^/projects/[^/]+/serviceAccount$`)},
	{"projects.hmacKeys", regexp.MustCompile(`^/projects/[^/]+/hmacKeys(?:/|$)`)},
	{"channels.stop", regexp.MustCompile(`^/channels/stop$`)},
}

// lacking returns the name of r's method if the emulator does not have it, else "".
func lacking(r *http.Request, k kind) string {
	path := r.URL.EscapedPath()
	if k == xml {
		return subresource(r)
	}
	inner, _ := strings.CutPrefix(path, "/storage/v1")
	for _, u := range unserved {
		if u.path.MatchString(inner) {
			return "storage." + u.name
		}
	}
	for _, s := range served {
		if s.path.MatchString(path) && slices.Contains(strings.Fields(s.verbs), r.Method) {
			return ""
		}
	}
	if path == "/_internal/healthcheck" || managedFolders.MatchString(path) && r.Method == http.MethodGet {
		return ""
	}
	return r.Method + " " + path
}

// subresources are the parts of a bucket or object that the XML API tells by a
// parameter, as in PUT /photos/a.jpg?uploads. fake-gcs-server would take the request
// for one of the whole.
var subresources = []string{
	"acl", "billing", "compose", "cors", "encryption", "encryptionConfig", "lifecycle", "location", "logging", "notification",
	"partNumber", "retention", "storageClass", "tagging", "uploadId", "uploads", "versioning", "versions", "website", "websiteConfig",
}

func subresource(r *http.Request) string {
	query := r.URL.Query()
	for _, name := range subresources {
		if query.Has(name) && !(name == "versions" && r.Method == http.MethodGet) {
			return "the XML API's " + r.Method + " ?" + name
		}
	}
	return ""
}

// Buckets have no managed folders, as there is no method to make one; gcloud storage rm -r
// lists them.
var managedFolders = regexp.MustCompile(`^/storage/v1/b/([^/]+)/managedFolders$`)

// listManagedFolders answers that there are none, or that there is no such bucket.
func (s *Server) listManagedFolders(w http.ResponseWriter, bucket string) {
	if _, err := s.fake.ListObjectsWithOptionsPaginated(bucket, fakestorage.ListOptions{MaxResults: 1}); err != nil {
		refuse(w, http.StatusNotFound, "notFound", "the specified bucket does not exist")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"kind":"storage#managedFolders","items":[]}`+"\n")
}

// lack answers 501: the emulator does not have the method.
func lack(w http.ResponseWriter, k kind, what string) {
	message := "this emulator does not serve " + what
	if k != xml {
		refuse(w, http.StatusNotImplemented, "notImplemented", message)
		return
	}
	w.Header().Set("Content-Type", "application/xml; charset=UTF-8")
	w.WriteHeader(http.StatusNotImplemented)
	fmt.Fprintf(w, "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NotImplemented</Code><Message>%s</Message></Error>", html.EscapeString(message))
}
