package accuracy

import (
	"encoding/json"
	"testing"
)

// A reading of the former schema is one of the present schema afterwards, which is left as it is.
func TestFormerReading(t *testing.T) {
	for _, test := range []struct{ kind, reading, want string }{
		{"back", `{"visible_text":[{"text":"A","clear":true},{"text":"B","clear":false}],"dates":[{"text":"1","label":"Use by:"},{"text":"2","label":""},{"text":"3","label":"유통 기한 부터"}],"not_product":false}`,
			`{"dates":[{"kind":"use_by","label":"Use by:","text":"1"},{"kind":"other","text":"2"},{"kind":"production","label":"유통 기한 부터","text":"3"}],"side":"back","visible_text":[{"text":"A"},{"clear":false,"text":"B"}]}`},
		{"front", `{"name_as_printed":"Oat Bar","visible_text":[{"text":"Oat Bar","box":[1,2,3,4]},{"text":"Contents","box":[5,6,7,8]},{"text":"Fat 3 g"},{"text":"Oat 9 g"},{"text":"Salt 0.1 g"},{"text":"Energy 9 kJ"},{"text":"75 g"}]}`,
			`{"name_as_printed":"Oat Bar","side":"front","visible_text":[{"box":[1,2,3,4],"text":"Oat Bar"},{"text":"Contents"},{"text":"Oat 9 g"}]}`},
		{"receipt", `{"visible_text":[{"text":"A. Person","clear":true}],"dates":[{"text":"1","label":"Datum:"}],"description":"a receipt","not_product":true}`,
			`{"description":"a receipt","key_features":[],"not_product":true,"side":"document","visible_text":[]}`},
		{"ad", `{"not_product":false}`, `{"side":"front","visible_text":[]}`},
		{"back", `{"side":"tag","visible_text":[{"text":"A","clear":true}]}`, `{"side":"tag","visible_text":[{"clear":true,"text":"A"}]}`},
	} {
		var a map[string]any
		if err := json.Unmarshal([]byte(test.reading), &a); err != nil {
			t.Fatal(err)
		}
		truth{"kind": test.kind}.convert(a)
		if got, err := json.Marshal(a); err != nil || string(got) != test.want {
			t.Errorf("convert %s = %s, %v, want %s", test.reading, got, err, test.want)
		}
	}
}
