package site

var german = words{
	code: "de", name: "German", charset: "windows-1252",
	sectors: [5]string{"Landwirtschaft, Forstwirtschaft und andere Landnutzung", "Industrieprozesse und Produktverwendung", "stationäre Energie", "Verkehr", "Abfall"},
	parts: [5][3]string{
		{"enterische Fermentation", "Düngung landwirtschaftlicher Böden", "Waldflächen"},
		{"Zementherstellung", "chemische Industrie", "Kälte- und Klimaanlagen"},
		{"Stromerzeugung", "Wohngebäude", "verarbeitendes Gewerbe"},
		{"Straßenverkehr", "nationaler Luftverkehr", "Eisenbahnen"},
		{"Deponierung fester Abfälle", "Abwasserbehandlung", "Verbrennung"},
	},
	page: pageWords{"Startseite", "Daten", "Über uns", "Neuigkeiten", "Jahr", "Summe", "Herunterladen", "Zuletzt geändert", "Lizenz: Creative Commons Namensnennung 4.0", "Siehe auch", "Kontakt", "kt CO2-Äquivalent", "und", "Interaktive Karte"},
	org: orgWords{
		ministry: []string{"Umweltamt %s", "Bundesministerium für Klimaschutz, %s"}, statistics: []string{"Statistik %s", "Statistisches Zentralamt %s"},
		university: []string{"Technische Universität %s", "Universität für Bodenkultur %s"}, ngo: []string{"Klimabündnis %s", "Verein Grünes %s"}, news: []string{"%ser Nachrichten", "%ser Tagblatt"},
		blog: []string{"Notizen aus %s"}, forum: []string{"Energieforum %s"}, region: []string{"Land %s"}, city: []string{"Stadt %s"},
	},
	paths: pathWords{"daten", "ueber-uns", "aktuelles", "intern", "archiv"},
	title: []string{"Treibhausgasemissionen: %[1]s, %[2]s, %[3]d–%[4]d", "%[2]s: Emissionsinventar im Sektor %[1]s, %[3]d bis %[4]d", "Emissionsreihe %[1]s für %[2]s (%[3]d–%[4]d)"},
	coverage: []string{
		"Dieser Datensatz enthält die jährlichen Treibhausgasemissionen von %[3]s im Sektor %[1]s (%[2]s) für die Jahre %[4]d bis %[5]d in Kilotonnen CO2-Äquivalent.",
		"Die Tabellen umfassen %[2]s aus dem Sektor %[1]s in %[3]s; jedes Jahr von %[4]d bis %[5]d ist enthalten, die Werte sind in kt CO2-Äquivalent angegeben.",
		"Hier werden die Emissionen von Kohlendioxid, Methan und Lachgas im Sektor %[1]s in %[3]s für %[4]d–%[5]d ausgewiesen, gegliedert nach %[2]s.",
	},
	intro: []string{
		"%[1]s erstellt die amtlichen Zahlen zur Klimawirkung von %[2]s. Dieser Abschnitt behandelt %[3]s und wird einmal im Jahr mit den Stellen abgestimmt, die die Grunddaten liefern.",
		"Im Rahmen der Berichtspflichten von %[2]s führt %[1]s ein Verzeichnis der Emissionen im Bereich %[3]s. Es dient Planung, Forschung und Öffentlichkeit.",
		"Verlässliche Zahlen sind die Grundlage jeder Klimapolitik. Deshalb veröffentlicht %[1]s, was über %[3]s in %[2]s bekannt ist, samt einer Beschreibung der Herkunft.",
	},
	method: []string{
		"Die Schätzungen folgen den Richtlinien des Weltklimarats von 2006 und deren Ergänzung von 2019, nach Stufe 2, wo nationale Faktoren vorliegen, sonst nach Stufe 1.",
		"Aktivitätsdaten stammen aus Erhebungen, Zollregistern und dem Brennstoffabsatz. Die Treibhauspotenziale entsprechen dem Fünften Sachstandsbericht über hundert Jahre.",
		"Die Unsicherheit wurde durch Fehlerfortpflanzung bestimmt. Neuberechnungen betreffen stets die ganze Reihe, daher sollen Ausgaben nicht vermischt werden.",
	},
	filler: []string{
		"Abweichungen in den Summen ergeben sich durch Rundung.", "Anfragen zu einzelnen Reihen werden innerhalb von zehn Werktagen beantwortet.",
		"Der Veröffentlichungskalender des kommenden Jahres wird im Dezember beschlossen.", "Bitte geben Sie Quelle und Abrufdatum an.",
		"Metadaten stehen im nationalen Verzeichnis öffentlicher Informationen.", "Ein unabhängiger Beirat hat die Ergebnisse vor der Freigabe geprüft.",
		"Die Außenstellen haben im Sommer Messungen beigetragen.", "Die nächste Ausgabe erscheint voraussichtlich im zweiten Quartal.",
	},
	absent: []string{"Für %[1]s wurde %[2]s mangels Aktivitätsdaten nicht geschätzt (NE).", "In %[1]s kommt %[2]s nicht vor (NO)."},
	old:    "Diese Ausgabe endet mit %[1]d. Sie wurde durch „%[2]s“ ersetzt und dient nur noch als Nachweis.",
	mirror: "Wir stellen eine unveränderte Kopie der von %[1]s veröffentlichten Datei bereit, für alle mit langsamer Verbindung. Maßgeblich ist das Original.",
	news: []string{
		"%[2]s hat am Dienstag neue Zahlen zu %[3]s vorgestellt. Nach Angaben aus %[1]s haben sich die Emissionen seit %[4]d kaum verändert; die Opposition nannte die Vorstellung unvollständig.",
		"In %[1]s streiten Betriebe und Verbände, wer den Umbau bezahlt. Eine Sprecherin von %[2]s wollte sich zu %[3]s und den Zielen von %[4]d nicht äußern.",
	},
	chat: []string{
		"Weiß jemand, wo es Zahlen zu %[2]s für %[1]s gibt? Ich finde nur Pressemitteilungen.", "Ich hatte einmal eine Tabelle zu %[2]s in %[1]s, von einem Freund, der ich aber nicht traue.",
		"Meine Meinung zu %[2]s: Vor der neuen Webseite war alles besser.",
	},
	forbid: "Arbeitsentwurf, nicht zur Veröffentlichung: Zahlen für %[1]s in Prüfung.",
	all:    "Nationales Inventar von %[1]s: Berichtstabellen aller Sektoren",
}
