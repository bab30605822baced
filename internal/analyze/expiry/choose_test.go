package expiry

import (
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	tests := []struct {
		printed  []Printed
		want     string
		day      string
		warnings string
	}{
		{nil, "", "", ""},
		{[]Printed{{Text: "2027.03.15", Label: "소비기한"}}, "2027-03-15 use_by", "2027.03.15", ""},
		{[]Printed{{Text: "2027-3-5 까지", Label: ""}}, "2027-03-05 expiry", "2027.03.05", ""},
		{[]Printed{{Text: "20/10/2027", Label: "best before"}}, "2027-10-20 best_before", "2027.10.20", ""},
		{[]Printed{{Text: "05/06/2027", Label: "EXP"}}, "2027-06-05|2027-05-06 expiry", "", "date_ambiguous"},
		{[]Printed{{Text: "05/06/2027", Label: "MHD"}}, "2027-06-05 best_before", "2027.06.05", ""},
		{[]Printed{{Text: "05/02/2026", Label: "NSX"}, {Text: "05/06/2027", Label: "HSD"}}, "2027-06-05 expiry", "2027.06.05", ""},
		{[]Printed{{Text: "26.12.31", Label: "소비기한"}}, "2026-12-31 use_by", "2026.12.31", ""},
		{[]Printed{{Text: "12/26", Label: "EXP"}}, "2026-12 expiry", "", ""},
		{[]Printed{{Text: "03.2027", Label: "EXP"}}, "2027-03 expiry", "", ""},
		{[]Printed{{Text: "2027.02.30", Label: "EXP"}}, "", "", "date_refused"},
		{[]Printed{{Text: "12345.01.02", Label: "EXP"}}, "", "", ""},
		{[]Printed{{Text: "see lid", Label: "EXP"}, {Text: "2027.01.02", Label: ""}}, "2027-01-02", "2027.01.02", "date_unlabelled"},
		{[]Printed{{Text: "2027.02.30", Label: "EXP"}, {Text: "2027.01.02", Label: ""}}, "", "", "date_refused"},
		{[]Printed{{Text: "2026.01.02", Label: "제조일자"}}, "", "", ""},
		{[]Printed{{Text: "2026.01.02", Label: ""}, {Text: "2027.01.02", Label: ""}}, "2027-01-02", "2027.01.02", "date_unlabelled"},
		{[]Printed{{Text: "2027.01.02", Label: ""}, {Text: "2026.01.02", Label: ""}}, "2027-01-02", "2027.01.02", "date_unlabelled"},
		{[]Printed{{Text: "2027.01.02", Label: "none"}}, "2027-01-02", "2027.01.02", "date_unlabelled"},
		{[]Printed{{Text: "2027.01.02", Label: "date printed on the lid"}}, "2027-01-02", "2027.01.02", "date_unlabelled"},
		{[]Printed{{Text: "2027.01.02", Label: "EXP"}, {Text: "2028.01.02", Label: ""}}, "2027-01-02 expiry", "2027.01.02", ""},
		{[]Printed{{Text: "2027.01.02", Label: "EXP"}, {Text: "2026.13.02", Label: "EXP"}}, "2027-01-02 expiry", "2027.01.02", "date_refused"},
		{[]Printed{{Text: "2027.01.02", Label: "EXP"}, {Text: "2027.01", Label: "EXP"}}, "2027-01 expiry", "", ""},
		{[]Printed{{Text: "31.01.2027", Label: "MHD"}, {Text: "01.2027", Label: "MHD"}}, "2027-01-31 best_before", "2027.01.31", ""},
		{[]Printed{{Text: "2028.01.02", Label: "Mfg date"}, {Text: "2027.01.02", Label: ""}}, "2027-01-02", "2027.01.02", "date_unlabelled"},
		{[]Printed{{Text: "2027.01.02", Label: "product best before"}}, "2027-01-02 best_before", "2027.01.02", ""},
		{[]Printed{{Text: "2027.05.01", Label: "행사기간"}}, "", "", ""},
		{[]Printed{{Text: "2027.05.01", Label: "Gewinnspiel"}}, "", "", "date_label_unknown"},
		{[]Printed{{Text: "2027.05.01", Label: "ਮਿਆਦ ਪੁੱਗਣ"}}, "", "", "date_label_unknown"},
		{[]Printed{{Text: "2027.05.01", Label: "Gewinnspiel"}, {Text: "2026.05.01", Label: "EXP"}}, "2026-05-01 expiry", "2026.05.01", ""},
		{[]Printed{{Text: "2027.05.01", Label: "Gewinnspiel"}, {Text: "2026.05.01", Label: ""}}, "2026-05-01", "2026.05.01", "date_unlabelled date_label_unknown"},
		{[]Printed{{Text: "12/26", Label: "Art"}}, "", "", ""},
		{[]Printed{{Text: "since 1998.03.01", Label: ""}}, "", "", ""},
		{[]Printed{{Text: "2026.12.01", Label: "소비기한 (제조일로부터 12개월)"}}, "2026-12-01 use_by", "2026.12.01", ""},
		{[]Printed{{Text: "제조 2025.01.01 / 소비 2026.01.01", Label: ""}}, "2026-01-01 use_by", "2026.01.01", ""},
		{[]Printed{{Text: "2025.01.01~2027.01.01", Label: "유통기한"}}, "2027-01-01 expiry", "2027.01.01", ""},
		{[]Printed{{Text: "20250101 20270101", Label: "MFG EXP"}}, "2027-01-01 expiry", "2027.01.01", ""},
		{[]Printed{{Text: "LOT 12345678", Label: ""}}, "", "", ""},
		{[]Printed{{Text: "261231", Label: "LOT"}}, "", "", ""},
		{[]Printed{{Text: "12M", Label: ""}}, "", "", ""},
		{[]Printed{{Text: "12M", Label: "PAO"}, {Text: "12/2027", Label: "EXP"}}, "2027-12 expiry", "", ""},
		{[]Printed{{Text: "12개월", Label: "개봉 후"}, {Text: "2026.01.01", Label: "제조"}}, "", "", ""},
		{[]Printed{{Text: "12개월", Label: "제조일로부터"}}, "", "", ""},
		{[]Printed{{Text: "2025.03.31", Label: "제조일자"}, {Text: "제조일로부터 6개월", Label: "소비기한"}}, "2025-09-29|2025-09-30 use_by P6M computed", "", "date_computed"},
		{[]Printed{{Text: "2024.02.29", Label: "제조일자"}, {Text: "1년", Label: "제조일로부터"}}, "2025-02-27|2025-02-28 expiry P1Y computed", "", "date_computed"},
		{[]Printed{{Text: "2100.01.01", Label: "제조일자"}, {Text: "12개월", Label: "제조일로부터"}}, "2100-12-31 expiry P12M computed", "", "date_computed"},
		{[]Printed{{Text: "05/06/2025", Label: "PROD"}, {Text: "12 months from production", Label: "best before"}}, "", "", ""},
		{[]Printed{{Text: "03.2025", Label: "PROD"}, {Text: "12 months from production", Label: "best before"}}, "2026-02|2026-03 best_before P12M computed", "", "date_computed"},
		{[]Printed{{Text: "2025.03.31", Label: "제조일자"}, {Text: "제조일로부터 6개월", Label: ""}, {Text: "2025.09.15", Label: "소비기한"}}, "2025-09-15 use_by", "2025.09.15", ""},
		{[]Printed{{Text: strings.Repeat("x", 600) + "2027.01.01", Label: "EXP"}}, "", "", ""},
		{[]Printed{{Text: "2027.01.01", Label: strings.Repeat("EXP", 600)}}, "", "", ""},
	}
	for _, test := range tests {
		d, warnings, ok := Choose(test.printed, Hint{})
		if got := told(d, nil); got != test.want || d.Day() != test.day || ok != (test.want != "") {
			t.Errorf("Choose(%v) = %q, day %q, %v, want %q, day %q", test.printed, got, d.Day(), ok, test.want, test.day)
		}
		if !slices.Equal(warnings, strings.Fields(test.warnings)) {
			t.Errorf("Choose(%v) warns %q, want %q", test.printed, warnings, test.warnings)
		}
	}
}

// The labels of packs in the languages of many shops, and the kinds that they say.
func TestExpiryLabels(t *testing.T) {
	for kind, labels := range map[Kind][]string{
		BestBefore: {"TETT", "Tavsiye edilen tüketim tarihi", "ΑΝΑΛΩΣΗ ΚΑΤΑ ΠΡΟΤΙΜΗΣΗ ΠΡΙΝ ΑΠΟ", "ควรบริโภคก่อน", "Baik digunakan sebelum", "Najbolje upotrijebiti do", "Најбоље употребити до",
			"Geriausias iki", "Ieteicams līdz", "Parim enne", "Minimální trvanlivost do", "Minimálna trvanlivosť do", "A se consuma de preferință înainte de", "Minőségét megőrzi",
			"Најдобро до", "най-добър до", "עדיף להשתמש לפני", "सर्वोत्तम"},
		UseBy: {"STT", "Son tüketim tarihi", "ΑΝΑΛΩΣΗ ΠΡΙΝ", "Upotrijebiti do", "Употребити до", "Porabiti do", "Tinka vartoti iki", "Tinka iki", "Izlietot līdz", "Spotřebovat do",
			"Spotrebujte do", "A se consuma", "Fogyasztható", "Felhasználható", "उपयोग"},
		Expiry: {"SKT", "Son kullanma tarihi", "ΛΗΞΗ", "Ημερομηνία λήξης", "หมดอายุ", "วันหมดอายุ", "วันที่หมดอายุ", "تاريخ الانتهاء", "تاريخ انتهاء الصلاحية", "Tarikh luput", "Kedaluwarsa",
			"Tanggal kadaluarsa", "Rok trajanja", "Рок трајања", "Data expirării", "Szavatossági idő", "תאריך תפוגה", "समाप्ति तिथि"},
	} {
		for _, label := range labels {
			for _, p := range []Printed{{Text: "15.03.2027", Label: label}, {Text: label + ": 15.03.2027"}} {
				if d, warnings, ok := Choose([]Printed{p}, Hint{}); !ok || d.Kind != kind || d.Day() != "2027.03.15" || len(warnings) > 0 {
					t.Errorf("Choose(%+v) = %+v, %q, want 2027.03.15 %s", p, d, warnings, kind)
				}
			}
		}
	}
}

// A date labelled as production date is never an expiry date, wherever its label is.
func TestProductionNeverExpires(t *testing.T) {
	labels := []string{"제조", "제조일자", "생산일", "포장일자", "산란일자", "製造年月日", "加工日", "生产日期", "MFG", "MFD", "Mfg. date", "PROD", "Production date",
		"Packed on", "PKD", "Made", "Hergestellt am", "Abgefüllt am", "Verpackt", "Eingefroren am", "Fabriqué le", "Emballé le", "Fecha de elaboración",
		"Fabricación", "Envasado", "Wyprodukowano", "Дата изготовления", "Prodotto il", "NSX", "Ngày sản xuất", "Ngày SX",
		"Üretim tarihi", "İmal tarihi", "ΠΑΡΑΓΩΓΗ", "Ημερομηνία παραγωγής", "ΣΥΣΚΕΥΑΣΙΑ", "ผลิต", "วันผลิต", "วันที่ผลิต", "تاريخ الإنتاج", "تاريخ الصنع", "تاريخ التعبئة",
		"Tarikh pengeluaran", "Tarikh dikilang", "Tanggal produksi", "Diproduksi", "Proizvedeno", "Datum proizvodnje", "Датум производње", "Pakirano", "Pagaminta", "Pagaminimo data",
		"Ražots", "Ražošanas datums", "Toodetud", "Tootmise kuupäev", "Vyrobeno", "Datum výroby", "Dátum výroby", "Baleno", "Data producerii", "Ambalat", "Gyártás ideje", "Gyártva",
		"תאריך ייצור", "יוצר", "निर्माण तिथि", "निर्मित", "उत्पादन", "पैकिंग तिथि"}
	dates := []string{"2026-01-02", "20260102", "02.01.2026", "02/01/26", "260102", "01/2026", "2026/01", "2 JAN 2026", "JAN 2026", "2026"}
	for _, label := range labels {
		for _, date := range dates {
			for _, p := range []Printed{{Text: date, Label: label}, {Text: label + " " + date}, {Text: label + ": " + date + " L123"}, {Text: date + " " + label}} {
				if d, _, ok := Choose([]Printed{p}, Hint{}); ok {
					t.Errorf("Choose(%+v) = %+v, want none", p, d)
				}
				if d, err := Parse(p.Label+" "+p.Text, Hint{}); err != nil || d.Kind != Production {
					t.Errorf("Parse(%q) = %+v, %v, want a date of production", p.Label+" "+p.Text, d, err)
				}
			}
		}
	}
}
