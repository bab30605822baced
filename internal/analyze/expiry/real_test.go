package expiry

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"example.com/whatis/emulators/realdata"
)

// real contains the meaning of strings from Open Food Facts and Open Beauty Facts, by
// product code: read by a person, with all readings where the string leaves the order open.
var real = map[string]string{
	"0000101209159": "2018-08-31",
	"0000460938714": "2018-12-28",
	"0000470322800": "2020-01-28",
	"0000790310044": "2014-10-17",
	"0000800000002": "2020-12-31",
	"0002000003913": "2016-10-30",
	"0002000004903": "2018-04-02",
	"0002042861915": "2020-01-28",
	"0002580000005": "2018-07-20",
	"0008295661012": "2020-01-16",
	"0008421369416": "2018-05-25",
	"0008982000513": "2021-01-11",
	"0009138378043": "2015-10-20",
	"0009542018061": "2015-11-30",
	"0009800800056": "2024-05-08",
	"00000758":      "2014-09-05|2014-05-09",
	"00001373":      "2014-10-10",
	"00010474":      "2023-12-07",
	"00011211":      "2018-05-20",
	"00011709":      "2017-10-21",
	"00011723":      "2019-03-13",
	"00011792":      "2017-10-11",
	"00011815":      "2016-07-06|2016-06-07",
	"0033000000954": "2021-07-18",
	"0041554227130": "2017-01",
	"0076970853861": "2020-10",
	"0187132005247": "2019-11",
	"1013089075141": "2025",
	"2000000000867": "2015-05-16",
	"2000000051969": "refused period_only P6M",
	"20007461":      "2019-11",
	"20350406":      "2016-05",
	"20351519":      "2020-01-05|2020-05-01",
	"3014260288587": "2023-07-08",
	"3031443122315": "2017-01-31",
	"3058320006001": "refused not_a_date",
	"3059944011648": "2018-06",
	"3133200094948": "2061",
	"3160920503207": "2017-11",
}

// At least 97 of 100 real strings are read correctly, or correctly refused. The strings are
// stored outside the repository.
func TestReal(t *testing.T) {
	right, total := 0, 0
	for line := range lines(t, "dev.tsv") {
		code, lang, text := line[1], line[2], line[3]
		want, ok := real[code]
		if !ok {
			continue // not read by a person yet
		}
		total++
		if got := told(Parse(text, Hint{Lang: lang})); got != want {
			t.Logf("%s: %s, want %s", code, got, want)
			continue
		}
		right++
	}
	t.Logf("%d of %d right", right, total)
	if total == 0 || 100*right < 97*total {
		t.Errorf("%d of %d real strings are right, want 97 %%", right, total)
	}
}

// lines yields the lines of a file of real strings, by column.
func lines(t *testing.T, name string) func(func([]string) bool) {
	t.Helper()
	file := bytes.NewReader(realdata.Read(t, "expiry/"+name))
	return func(yield func([]string) bool) {
		for s := bufio.NewScanner(file); s.Scan(); {
			if columns := strings.Split(s.Text(), "\t"); len(columns) == 4 && !yield(columns) {
				return
			}
		}
	}
}
