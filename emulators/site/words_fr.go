package site

var french = words{
	code: "fr", name: "French", charset: "windows-1252",
	sectors: [5]string{"agriculture, foresterie et autres affectations des terres", "procédés industriels et utilisation des produits", "énergie stationnaire", "transports", "déchets"},
	parts: [5][3]string{
		{"fermentation entérique", "riziculture", "terres forestières"},
		{"production de ciment", "industrie chimique", "réfrigération et climatisation"},
		{"production d'électricité", "bâtiments résidentiels", "industries manufacturières"},
		{"transport routier", "aviation intérieure", "chemins de fer"},
		{"mise en décharge des déchets solides", "traitement des eaux usées", "incinération"},
	},
	page: pageWords{"Accueil", "Données", "À propos", "Actualités", "Année", "Total", "Télécharger", "Dernière mise à jour", "Licence : Creative Commons Attribution 4.0", "Voir aussi", "Contact", "kt équivalent CO2", "et", "Carte interactive"},
	org: orgWords{
		ministry: []string{"Ministère de l'Environnement, %s", "Agence du climat, %s"}, statistics: []string{"Agence de la statistique, %s", "Institut de la statistique, %s"},
		university: []string{"Université %s", "École polytechnique %s"}, ngo: []string{"Association %s Vert", "Observatoire climat %s"}, news: []string{"Le Quotidien de %s", "La Gazette de %s"},
		blog: []string{"Carnets de %s"}, forum: []string{"Forum énergie %s"}, region: []string{"Conseil régional de %s"}, city: []string{"Ville de %s"},
	},
	paths: pathWords{"donnees", "a-propos", "actualites", "interne", "archives"},
	title: []string{"Émissions de gaz à effet de serre : %[1]s, %[2]s, %[3]d–%[4]d", "%[2]s : inventaire du secteur %[1]s, %[3]d à %[4]d", "Série d'émissions, %[1]s, %[2]s (%[3]d–%[4]d)"},
	coverage: []string{
		"Ce jeu de données présente les émissions annuelles de gaz à effet de serre, %[3]s, pour le secteur %[1]s (%[2]s), des années %[4]d à %[5]d, en kilotonnes équivalent CO2.",
		"Les tableaux couvrent %[2]s, qui relèvent du secteur %[1]s, %[3]s ; chaque année de %[4]d à %[5]d est incluse et les valeurs sont en kt équivalent CO2.",
		"Les émissions de dioxyde de carbone, de méthane et de protoxyde d'azote du secteur %[1]s, %[3]s, sont présentées ici pour %[4]d–%[5]d, selon %[2]s.",
	},
	intro: []string{
		"%[1]s établit les chiffres officiels de l'impact climatique, %[2]s. Cette rubrique traite du secteur %[3]s et elle est révisée chaque année avec les organismes qui fournissent les relevés.",
		"Dans le cadre des obligations de déclaration, %[2]s, %[1]s tient un registre des émissions du secteur %[3]s. Il sert aux planificateurs, aux chercheurs et au public.",
		"Des chiffres fiables sont la base de toute politique d'atténuation. C'est pourquoi %[1]s publie ce que l'on sait du secteur %[3]s, %[2]s, avec une description de la manière dont cela fut obtenu.",
	},
	method: []string{
		"Les estimations suivent les lignes directrices 2006 du Groupe d'experts intergouvernemental sur l'évolution du climat et leur révision de 2019, au niveau 2 où des facteurs nationaux existent, au niveau 1 ailleurs.",
		"Les données d'activité proviennent d'enquêtes, des douanes et des ventes de combustibles. Les potentiels de réchauffement sont ceux du cinquième rapport d'évaluation, sur cent ans.",
		"L'incertitude fut évaluée par propagation des erreurs. Les recalculs touchent toute la série, aussi ne faut-il pas mélanger les éditions.",
	},
	filler: []string{
		"Les totaux peuvent différer de la somme en raison des arrondis.", "Les questions sur une série reçoivent une réponse sous dix jours ouvrables.",
		"Le calendrier de publication de l'année prochaine est approuvé en décembre.", "Merci de citer la source et la date de consultation.",
		"Les métadonnées figurent au catalogue national de l'information publique.", "Un comité indépendant a relu les résultats avant leur diffusion.",
		"Les délégations régionales ont fourni des mesures de terrain.", "La prochaine édition est attendue au deuxième trimestre.",
	},
	absent: []string{"Pour %[1]s, le poste %[2]s n'a pas été estimé (NE), faute de données d'activité.", "Le poste %[2]s n'existe pas (NO), %[1]s."},
	old:    "Cette édition s'arrête à %[1]d. Elle a été remplacée par « %[2]s » et n'est conservée que pour mémoire.",
	mirror: "Nous hébergeons une copie du fichier publié par %[1]s, sans changement, pour les connexions lentes. L'original fait foi.",
	news: []string{
		"%[2]s a présenté mardi de nouveaux chiffres sur le secteur %[3]s. Selon les responsables, %[1]s, les émissions ont peu changé depuis %[4]d ; l'opposition juge la présentation incomplète.",
		"Producteurs et transporteurs, %[1]s, ne s'accordent pas sur le coût de la transition. %[2]s n'a pas souhaité commenter le secteur %[3]s ni les objectifs fixés en %[4]d.",
	},
	chat: []string{
		"Quelqu'un sait-il où trouver des chiffres sur %[2]s, %[1]s ? Je ne trouve que des communiqués.", "J'ai eu un tableau sur %[2]s, %[1]s, par un ami, mais je ne m'y fierais pas.",
		"Mon avis sur %[2]s : tout était mieux avant le nouveau site.",
	},
	forbid: "Document de travail, ne pas diffuser : chiffres en révision, %[1]s.",
	all:    "Inventaire national, %[1]s : tableaux communs de tous les secteurs",
}
