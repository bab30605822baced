package gs1

import "testing"

func TestGTIN(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"8801234567893", "08801234567893", true},
		{"8 801234 567893", "08801234567893", true},
		{"036000291452", "00036000291452", true},
		{"96385074", "00000096385074", true},
		{"18801234567890", "18801234567890", true},
		{"8801234567894", "", false},
		{"880123456789", "", false},
		{"88012345678a3", "", false},
		{"0000000000000", "", false},
		{"٨٨٠١٢٣٤", "", false},
		{"", "", false},
	}
	for _, test := range tests {
		if got, ok := GTIN(test.in); got != test.want || ok != test.ok {
			t.Errorf("GTIN(%q) = %q, %v; want %q, %v", test.in, got, ok, test.want, test.ok)
		}
	}
}

func TestRestricted(t *testing.T) {
	tests := []struct {
		gtin string
		want bool
	}{
		{"08801234567893", false},
		{"00212345678901", true},
		{"00412345678901", true},
		{"02012345678901", true},
		{"02912345678901", true},
		{"03012345678901", false},
		{"12012345678908", true}, // a case of a shop's own goods
		{"00512345678903", true},
		{"05012345678900", false},
		{"05901234123457", false},
		{"09771234567003", true},
		{"09780306406157", false},
		{"09790060115615", false},
		{"09791234567896", false},
		{"09501234567891", false},
		{"09520011000017", false},
		{"09761234567894", false},
		{"09801234567892", true},
		{"09811234567891", true},
		{"09841234567898", true},
		{"09851234567897", false},
		{"09901234567899", true},
		{"09991234567890", true},
		{"00000098012342", false}, // a GTIN-8
		{"00036000291452", false},
		{"00000096385074", false},
		{"00000020123451", true},
		{"00000001234565", true},
		{"", false},
	}
	for _, test := range tests {
		if got := Restricted(test.gtin); got != test.want {
			t.Errorf("Restricted(%q) = %v, want %v", test.gtin, got, test.want)
		}
	}
}
