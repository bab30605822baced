package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
)

// wholeBrands are brands of several words, in ten scripts, each with a name that begins
// with the brand's last words.
var wholeBrands = []string{
	"Mr. Clean|Clean Freak", "Trader Joe's|Joe's O's", "Kraft Heinz|Heinz Tomato Ketchup", "Bob's Red Mill|Red Mill Oats", "The Body Shop|Body Shop Butter",
	"Ben & Jerry's|Jerry's Cookie Dough", "Dr. Oetker|Oetker Backpulver", "Johnson & Johnson|Johnson's Baby Oil", "Burt's Bees|Bees Wax Balm", "Uncle Ben's|Ben's Long Grain",
	"Green Giant|Giant Sweet Corn", "Red Bull|Bull Zero", "Old Spice|Spice Deodorant", "Captain Morgan|Morgan Spiced", "Newman's Own|Own Ranch Dressing",
	"Seventh Generation|Generation Dish Soap", "Le Creuset|Creuset Mustard", "La Vache Qui Rit|Qui Rit Fromage", "San Pellegrino|Pellegrino Limonata", "The North Face|Face Wipes",
	"한국 야쿠르트|야쿠르트 라이트", "서울 우유|우유 저지방", "동원 식품|식품 참치", "남양 유업|유업 분유", "광동 제약|제약 비타", "종가 집|집 포기김치",
	"统一 企业|企业 方便面", "娃哈哈 集团|集团 纯净水", "三只 松鼠|松鼠 坚果", "王老吉 药业|药业 凉茶", "李锦记 食品|食品 蚝油",
	"カルビー ポテト|ポテト チップス", "サントリー ウーロン|ウーロン 茶", "ハウス バーモント|バーモント カレー", "ミツカン みそ|みそ しる", "マルハ ニチロ|ニチロ さば",
	"Красный Октябрь|Октябрь Конфеты", "Вкусно и Точка|Точка Бургер", "Бабушкина Крынка|Крынка Сметана", "Домик в Деревне|Деревне Молоко", "Простоквашино Ферма|Ферма Кефир",
	"Παπαδοπούλου Γεύση|Γεύση Μπισκότα", "Κρι Κρι|Κρι Γιαούρτι", "Όλυμπος Γάλα|Γάλα Φρέσκο", "Μέλισσα Κίκιζας|Κίκιζας Μακαρόνια",
	"المراعي الطازجة|الطازجة حليب", "نادك الغذائية|الغذائية لبن", "بيت التمر|التمر السكري", "شاي الوزة|الوزة أحمر",
	"תנובה חלב|חלב טרי", "אוסם השקעות|השקעות ביסלי", "בית השיטה|השיטה חמוצים", "יד מרדכי|מרדכי דבש",
	"มาม่า ไทย|ไทย บะหมี่", "เถ้าแก่ น้อย|น้อย สาหร่าย", "โอ้โห ฟู้ด|ฟู้ด ขนม", "คาราบาว แดง|แดง เครื่องดื่ม",
	"पतंजलि आयुर्वेद|आयुर्वेद शहद", "हल्दीराम भुजिया|भुजिया सेव", "मदर डेयरी|डेयरी दही",
}

// subBrands are makers, a sub-brand of each, and a product of it.
var subBrands = []string{
	"롯데|오늘|오늘 온차", "CJ제일제당|비비고|비비고 왕교자", "오뚜기|진|진 비빔면", "농심|신|신 라면블랙", "해태|맛동산|맛동산 땅콩",
	"NIVEA|Men|Men Sensitive Balm", "Nestlé|Kit Kat|Kit Kat Chunky", "Dr. Oetker|Ristorante|Ristorante Pizza Salame", "Mr. Clean|Magic Eraser|Magic Eraser Sheets", "The Body Shop|Vitamin E|Vitamin E Cream",
	"Coca-Cola|Zero|Zero Cherry", "Ben & Jerry's|Moophoria|Moophoria Chocolate", "明治|ブルガリア|ブルガリア ヨーグルト", "森永|ダース|ダース ビター", "康师傅|冰红茶|冰红茶 低糖",
	"Красный Октябрь|Алёнка|Алёнка Молочная", "Όλυμπος|Φυσικό|Φυσικό Γάλα", "المراعي|فيتا|فيتا جبنة", "תנובה|יופלה|יופלה תות", "हल्दीराम|मिनट|मिनट खाना",
}

// labelledPack returns a pack with this truth. The picture is any: the emulated model
// knows it by its bytes.
func labelledPack(t *testing.T, n int, brand, name string, subs ...string) *samples.Sample {
	t.Helper()
	s, err := samples.Pack(samples.Print{Brand: fmt.Sprint("Pack ", n), Name: "of a brand"})
	if err != nil {
		t.Fatal(err)
	}
	s.Truth.Brand, s.Truth.Name, s.Truth.SubBrands, s.Truth.Category = brand, name, subs, "Food"
	s.Truth.Features = []string{brand, name, "250 g", "red bag", "window", "round logo", "white letters", "sealed top"}
	s.Truth.Lines = []samples.Line{{Text: brand, Clear: true}, {Text: name, Clear: true}, {Text: "250 g", Clear: true}}
	return s
}

// With a perfect reader and judge no brand ends wrong: a brand of several words stays
// whole, and a sub-brand does not join its maker, even if the reader joins them.
func TestNoBrandEndsWrong(t *testing.T) {
	t.Parallel()
	var packs []*samples.Sample
	for _, s := range slices.Concat(wholeBrands, subBrands) {
		part := strings.Split(s, "|")
		packs = append(packs, labelledPack(t, len(packs), part[0], part[len(part)-1], part[1:len(part)-1]...))
	}
	if len(wholeBrands) < 60 || len(subBrands) < 20 {
		t.Errorf("%d brands and %d sub-brands, want 60 and 20", len(wholeBrands), len(subBrands))
	}
	b := newBench(t, func(c *analyze.Config) { c.Learn = false })
	b.answeredBy(answers.Options{Tesseract: "off", Model: answers.Perfect, Packs: packs})
	for _, setting := range []string{"doubt seed", "always seed", "never seed", "doubt strict"} {
		look, policy, _ := strings.Cut(setting, " ")
		b.req.SecondLook, b.req.Policy = analyze.SecondLook(look), policyNamed(t, policy)
		for _, s := range packs {
			b.brandIsRight(s)
			if len(s.Truth.SubBrands) > 0 && look != "never" {
				b.Gemini.Script(joined(s.Truth))
				b.brandIsRight(s)
			}
		}
	}
}

// joined is the reading of a pack by a model that takes the sub-brand for a part of
// the brand.
func joined(truth samples.Truth) emulated.Answer {
	return ramen(corn(truth.Name, truth.Brand), func(a *analyze.Analysis) {
		a.Brand, a.SubBrands = truth.Brand+" "+truth.SubBrands[0], truth.SubBrands
	})
}

// brandIsRight fails unless b's answer about s has its brand and is decided by the photo
// with two calls of a model that generates, at most.
func (b *bench) brandIsRight(s *samples.Sample) {
	b.t.Helper()
	b.req.Photo = prepared(b.t, s.Bytes())
	r, err := b.run(nil)
	if err != nil {
		b.t.Fatalf("%s: %v", s.Truth.Brand, err)
	}
	if r.Brand != s.Truth.Brand || r.Decision.Row != 3 || r.ModelCalls.Generate > 2 {
		b.t.Errorf("%s %s, second_look %s, policy %s: brand %q, row %d, %d calls, suspicions %q, warnings %q; want row 3 with 2 calls at most",
			s.Truth.Brand, s.Truth.Name, b.req.SecondLook, b.req.Policy.Name, r.Brand, r.Decision.Row, r.ModelCalls.Generate, r.Decision.Suspicions, r.Warnings)
	}
}
