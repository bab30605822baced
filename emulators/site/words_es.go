package site

var spanish = words{
	code: "es", name: "Spanish", charset: "windows-1252",
	sectors: [5]string{"agricultura, silvicultura y otros usos de la tierra", "procesos industriales y uso de productos", "energía estacionaria", "transporte", "residuos"},
	parts: [5][3]string{
		{"fermentación entérica", "cultivo de arroz", "tierras forestales"},
		{"producción de cemento", "industria química", "refrigeración y aire acondicionado"},
		{"generación de electricidad", "edificios residenciales", "industrias manufactureras"},
		{"transporte carretero", "aviación nacional", "ferrocarriles"},
		{"disposición de residuos sólidos", "tratamiento de aguas residuales", "incineración"},
	},
	page: pageWords{"Inicio", "Datos", "Acerca de", "Noticias", "Año", "Total", "Descargar", "Última actualización", "Licencia: Creative Commons Atribución 4.0", "Véase también", "Contacto", "kt de CO2 equivalente", "y", "Mapa interactivo"},
	org: orgWords{
		ministry: []string{"Ministerio de Ambiente de %s", "Secretaría de Cambio Climático de %s"}, statistics: []string{"Instituto de Estadística de %s", "Dirección General de Estadística, %s"},
		university: []string{"Universidad Nacional de %s", "Universidad Técnica %s"}, ngo: []string{"Fundación %s Verde", "Observatorio Climático %s"}, news: []string{"El Diario de %s", "La Voz de %s"},
		blog: []string{"Apuntes de %s"}, forum: []string{"Foro de energía %s"}, region: []string{"Gobierno Regional de %s"}, city: []string{"Municipalidad de %s"},
	},
	paths: pathWords{"datos", "institucional", "noticias", "interno", "archivo"},
	title: []string{"Emisiones de gases de efecto invernadero de %[1]s en %[2]s, %[3]d–%[4]d", "%[2]s: inventario del sector %[1]s, %[3]d a %[4]d", "Serie de emisiones, %[1]s, %[2]s (%[3]d–%[4]d)"},
	coverage: []string{
		"Este conjunto de datos presenta las emisiones anuales de gases de efecto invernadero de %[3]s por %[1]s (%[2]s) para los años %[4]d a %[5]d, en kilotoneladas de CO2 equivalente.",
		"Las tablas abarcan %[2]s, que forman parte de %[1]s, en %[3]s; se incluye cada año desde %[4]d hasta %[5]d y las cifras están en kt de CO2 equivalente.",
		"Se informan aquí las emisiones de dióxido de carbono, metano y óxido nitroso de %[1]s en %[3]s para %[4]d–%[5]d, según %[2]s.",
	},
	intro: []string{
		"%[1]s elabora las cifras oficiales sobre el impacto climático de %[2]s. Esta sección trata de %[3]s y se revisa una vez al año, en consulta con los organismos que aportan los registros.",
		"En el marco de las obligaciones de información de %[2]s, %[1]s mantiene un registro de lo que emite el sector de %[3]s. Sirve a planificadores, investigadores y al público en general.",
		"Las cifras confiables son la base de toda política de mitigación. Por ello, %[1]s publica lo que se sabe sobre %[3]s en %[2]s, junto con una descripción de cómo se obtuvo.",
	},
	method: []string{
		"Las estimaciones siguen las Directrices de 2006 del Grupo Intergubernamental de Expertos sobre el Cambio Climático y su refinamiento de 2019, en el nivel 2 donde existen factores nacionales y en el nivel 1 en los demás casos.",
		"Los datos de actividad provienen de encuestas, registros de aduana y ventas de combustible. Los potenciales de calentamiento son los del Quinto Informe de Evaluación, a cien años.",
		"La incertidumbre se evaluó por propagación de errores. Los recálculos afectan toda la serie cuando se dispone de una fuente mejor, de modo que no deben mezclarse ediciones.",
	},
	filler: []string{
		"Las cifras pueden no sumar el total debido al redondeo.", "Las consultas sobre series individuales se responden en diez días hábiles.",
		"El calendario de publicaciones del año próximo se aprueba en diciembre.", "Se ruega citar la fuente y la fecha de consulta.",
		"Los metadatos están disponibles en el catálogo nacional de información pública.", "Un panel independiente revisó los resultados antes de su difusión.",
		"Las delegaciones regionales aportaron mediciones de campo durante el verano.", "La próxima edición se espera en el segundo trimestre.",
	},
	absent: []string{"Para %[1]s, %[2]s no se estimó (NE) por falta de datos de actividad.", "En %[1]s, %[2]s no ocurre (NO)."},
	old:    "Esta edición termina en %[1]d. Fue reemplazada por «%[2]s» y se conserva solo como referencia.",
	mirror: "Alojamos una copia del archivo publicado por %[1]s, sin cambios, para lectores con conexiones lentas. El original es el que vale.",
	news: []string{
		"%[2]s presentó el martes nuevas cifras sobre %[3]s. Según las autoridades de %[1]s, las emisiones han cambiado poco desde %[4]d; la oposición calificó la presentación de incompleta.",
		"Productores y transportistas de %[1]s discrepan sobre quién debe pagar la transición. Un vocero de %[2]s no quiso comentar sobre %[3]s ni sobre las metas fijadas en %[4]d.",
	},
	chat: []string{
		"¿Alguien sabe dónde encontrar números sobre %[2]s para %[1]s? Solo encuentro comunicados.", "Una vez tuve una planilla sobre %[2]s en %[1]s, de un amigo, pero no me fiaría.",
		"Mi opinión sobre %[2]s: todo era mejor antes de que cambiaran la página.",
	},
	forbid: "Borrador de trabajo, no publicar: cifras de %[1]s en revisión.",
	all:    "Inventario nacional de %[1]s: tablas comunes de todos los sectores",
}
