package forecast

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast/openweather"
)

// keepPlace stores the place of a new forecast twice: by the text that named it, and by its
// coordinates, so that who asks for these gets the same forecast, under the same name.
// Coordinates that are not the place's own are rounded.
func (p *Pipeline) keepPlace(ctx context.Context, v variant) {
	data, err := json.Marshal(v.place.Keep())
	if err == nil {
		err = p.store.write(ctx, knownFile(v.place), "application/json", data)
	}
	at, byPoint := openweather.PointOf(v.asked)
	if own := byPoint && at.Is(v.place.Point()); v.asked != "" && !own {
		err = errors.Join(err, p.store.write(ctx, placeFile(v.asked), "application/json", data))
	}
	if err != nil {
		slog.WarnContext(ctx, "the place of a forecast is not kept", "place", v.place.ID, "error", err)
	}
}

// askedFile returns the file that says that somebody asked for the forecast of coordinates.
func askedFile(owner, place string) string {
	return fmt.Sprintf("%splaces/asked/%x/%s.json", root, sha256.Sum256([]byte(owner)), place)
}

// noteAsking stores who asked for the forecast of coordinates, if they have a name.
func (p *Pipeline) noteAsking(ctx context.Context, place string) {
	owner := p.Owner(ctx)
	if owner == "" || !openweather.IsPoint(place) || p.mayList(ctx, place) {
		return
	}
	if err := p.store.write(ctx, askedFile(owner, place), "application/json", []byte("{}")); err != nil {
		slog.WarnContext(ctx, "who asked for coordinates is not kept", "error", err)
	}
}

// mayList reports that the caller may see that there are forecasts of a place: of one with a name,
// or of coordinates for which they asked themselves.
func (p *Pipeline) mayList(ctx context.Context, place string) bool {
	if !openweather.IsPoint(place) {
		return true
	}
	owner := p.Owner(ctx)
	if owner == "" {
		return false
	}
	_, _, err := p.Objects.Read(ctx, blob.ObjectRef{Bucket: p.Bucket, Name: askedFile(owner, place)}, maxKept)
	return err == nil
}

// placeFile returns the file that says which place text named.
func placeFile(text string) string {
	words := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if at, ok := openweather.PointOf(text); ok {
		words = at.Cell()
	}
	return fmt.Sprintf("%splaces/%x.json", root, sha256.Sum256([]byte(words)))
}

// placeOf returns the place that text named when a forecast was made for it.
func (s cacheStore) placeOf(ctx context.Context, text string) (openweather.Place, bool) {
	data, _, err := s.objects.Read(ctx, blob.ObjectRef{Bucket: s.bucket, Name: placeFile(text)}, maxKept)
	return restored(data, err)
}

// restored returns the place that a file has.
func restored(data []byte, err error) (openweather.Place, bool) {
	var stored openweather.Kept
	ok := err == nil && json.Unmarshal(data, &stored) == nil
	return stored.Restore(), ok
}

// knownFile returns the file of a place by its coordinates.
func knownFile(place openweather.Place) string {
	at := place.Point()
	return cellOf(at) + at.String() + "/" + place.ID + ".json"
}

// cellOf returns the folder of the places in the tenth of a degree about a point.
func cellOf(at openweather.Point) string { return root + "places/" + at.Cell() + "/" }

// knownAt returns the place whose own coordinates these are, if a forecast was made for it:
// the nearest, and of several there the latest. Another point of the same tenth of a degree
// is not the place: it keeps the name that the service gives it.
func (s cacheStore) knownAt(ctx context.Context, at openweather.Point) (openweather.Place, bool) {
	type known struct {
		file       string
		generation int64
		apart      float64
		made       time.Time
	}
	var all []known
	folder := cellOf(at)
	for o, err := range s.objects.List(ctx, s.bucket, folder) {
		if err != nil {
			return openweather.Place{}, false
		}
		where, _, _ := strings.Cut(strings.TrimPrefix(o.Name, folder), "/")
		if own, ok := openweather.PointOf(where); ok && at.Is(own) {
			all = append(all, known{o.Name, o.Generation, at.Apart(own), o.Created})
		}
	}
	if len(all) == 0 {
		return openweather.Place{}, false
	}
	nearest := slices.MinFunc(all, func(a, b known) int { return cmp.Or(cmp.Compare(a.apart, b.apart), b.made.Compare(a.made)) })
	return restored(s.readListed(ctx, nearest.file, nearest.generation))
}
