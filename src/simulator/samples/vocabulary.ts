// The words of the sample world: invented towns and firms, real codes. No authority of this list exists.

const sampleLanguages = ['de', 'en', 'fr', 'pl', 'nb'] as const
export type SampleLanguage = (typeof sampleLanguages)[number]
export type Words = { readonly [language in SampleLanguage]: string }

/** Where buyers sit: `country` is ISO 3166-1 alpha-2, `authority` a pattern in which `*` is the town. */
export type Region = {
  readonly country: string
  readonly alpha3: string
  readonly zone: string
  readonly currency: string
  readonly languages: readonly [SampleLanguage, ...SampleLanguage[]]
  readonly authorities: readonly string[]
  readonly towns: readonly { readonly name: string; readonly nuts: string; readonly postalCode: string }[]
  readonly phone: string
}

const towns = (list: string) =>
  list.split('; ').map((each) => {
    const [name, nuts, postalCode] = each.split('|')
    return { name: name!, nuts: nuts!, postalCode: postalCode! }
  })

export const regions = {
  de: {
    country: 'DE',
    alpha3: 'DEU',
    zone: 'Europe/Berlin',
    currency: 'EUR',
    languages: ['de'],
    phone: '+49 30 5550',
    authorities: [
      'Stadt *',
      'Landkreis *',
      'Stadtwerke * GmbH',
      'Klinikum * gGmbH',
      'Hochschule *',
      'Zweckverband Abwasser *',
    ],
    towns: towns(
      'Borkenthal|DE212|80901; Ilsemund|DE300|10901; Harnwede|DE929|30901; Tresenbrück|DEA23|50901; Wolmerau|DED51|04901; Gandelsfurt|DE712|60901; Ebershorn|DE600|20901; Lüttkenried|DEF02|24901; Velmstedt|DEG01|99901; Sommersall|DE111|70901; Ostrauken|DE803|18901; Quellmar|DEB35|55901',
    ),
  },
  at: {
    country: 'AT',
    alpha3: 'AUT',
    zone: 'Europe/Vienna',
    currency: 'EUR',
    languages: ['de'],
    phone: '+43 1 5550',
    authorities: ['Marktgemeinde *', 'Gemeindeverband *'],
    towns: towns('Oberpfandl|AT323|5090; Sankt Merolt|AT221|8090; Wiesengrafen|AT126|3090'),
  },
  lu: {
    country: 'LU',
    alpha3: 'LUX',
    zone: 'Europe/Luxembourg',
    currency: 'EUR',
    languages: ['fr', 'de'],
    phone: '+352 5550',
    authorities: ['Commune de *'],
    towns: towns('Mersbour|LU000|L-9090; Hautelange|LU000|L-8090'),
  },
  fr: {
    country: 'FR',
    alpha3: 'FRA',
    zone: 'Europe/Paris',
    currency: 'EUR',
    languages: ['fr'],
    phone: '+33 1 5550',
    authorities: ['Commune de *', 'Communauté de communes de *', 'Centre hospitalier de *', 'Syndicat des eaux de *'],
    towns: towns(
      'Valmorange|FRK26|69990; Saint-Orvain|FRI12|33990; Brécourt-les-Haies|FRE11|59990; Montaurel|FRL04|13990; Pontessac|FRJ23|31990; Lannevieux|FRH02|29990',
    ),
  },
  pl: {
    country: 'PL',
    alpha3: 'POL',
    zone: 'Europe/Warsaw',
    currency: 'PLN',
    languages: ['pl'],
    phone: '+48 22 555',
    authorities: ['Gmina *', 'Powiat *', 'Szpital Miejski w *', 'Zarząd Dróg w *'],
    towns: towns(
      'Wierzbnowo|PL213|30-990; Brzezogóra|PL514|50-990; Sokolinek|PL911|00-990; Lipowiec Stary|PL415|60-990; Jaworzany|PL634|80-990',
    ),
  },
  no: {
    country: 'NO',
    alpha3: 'NOR',
    zone: 'Europe/Oslo',
    currency: 'NOK',
    languages: ['nb'],
    phone: '+47 555 0',
    authorities: ['* kommune', '* fylkeskommune', '* havn KF', '* sykehus HF'],
    towns: towns(
      'Skarvefjord|NO0A2|5990; Granholmen|NO081|0990; Myrstrand|NO074|9990; Nordviksund|NO071|8990; Eikedalen|NO091|3990',
    ),
  },
  gb: {
    country: 'GB',
    alpha3: 'GBR',
    zone: 'Europe/London',
    currency: 'GBP',
    languages: ['en'],
    phone: '+44 20 7946 0',
    authorities: ['* Borough Council', '* County Council', '* Hospitals Trust', 'University of *'],
    towns: towns(
      'Harrowmere|UKI31|ZZ1 1AA; Kestlebridge|UKC22|ZZ2 2AA; Dunmarrick|UKM75|ZZ3 3AA; Llanferwyn|UKL22|ZZ4 4AA; Thornwick Vale|UKE32|ZZ5 5AA',
    ),
  },
  ie: {
    country: 'IE',
    alpha3: 'IRL',
    zone: 'Europe/Dublin',
    currency: 'EUR',
    languages: ['en'],
    phone: '+353 1 555 0',
    authorities: ['* County Council', '* Education and Training Board'],
    towns: towns('Ballinorra|IE061|D99 A000; Kilmarrin|IE052|R99 A000; Carrigduff|IE042|H99 A000'),
  },
} as const satisfies { readonly [key: string]: Region }

/** Something that is bought. `cpv` is the main code; the first lot's code need not be it. */
export type Subject = {
  readonly cpv: string
  readonly moreCpv?: readonly string[]
  readonly nature: 'works' | 'supplies' | 'services'
  readonly thousands: readonly [number, number]
  readonly title: Words
  readonly lots: readonly { readonly cpv: string; readonly title: Words }[]
}

const words = (de: string, en: string, fr: string, pl: string, nb: string): Words => ({ de, en, fr, pl, nb })

export const subjects: readonly Subject[] = [
  {
    cpv: '45214210',
    moreCpv: ['45210000'],
    nature: 'works',
    thousands: [800, 9000],
    title: words(
      'Neubau der Grundschule',
      'Construction of a primary school',
      "Construction d'une école primaire",
      'Budowa szkoły podstawowej',
      'Bygging av barneskole',
    ),
    lots: [
      {
        cpv: '45262300',
        title: words('Rohbauarbeiten', 'Structural works', 'Gros œuvre', 'Roboty konstrukcyjne', 'Råbygg'),
      },
      {
        cpv: '45310000',
        title: words(
          'Elektroinstallation',
          'Electrical installation',
          'Installations électriques',
          'Instalacje elektryczne',
          'Elektroinstallasjon',
        ),
      },
      {
        cpv: '45331000',
        title: words(
          'Heizung, Lüftung, Klima',
          'Heating and ventilation',
          'Chauffage et ventilation',
          'Ogrzewanie i wentylacja',
          'Varme og ventilasjon',
        ),
      },
    ],
  },
  {
    cpv: '45233140',
    moreCpv: ['45233220'],
    nature: 'works',
    thousands: [300, 6000],
    title: words(
      'Erneuerung der Ortsdurchfahrt',
      'Renewal of the main road',
      'Réfection de la route principale',
      'Przebudowa drogi głównej',
      'Fornyelse av hovedveien',
    ),
    lots: [
      { cpv: '45233220', title: words('Straßenbau', 'Road surface', 'Chaussée', 'Nawierzchnia', 'Veidekke') },
      { cpv: '45232411', title: words('Kanalbau', 'Sewers', 'Assainissement', 'Kanalizacja', 'Avløp') },
    ],
  },
  {
    cpv: '45421000',
    nature: 'works',
    thousands: [60, 700],
    title: words(
      'Tischlerarbeiten am Rathaus',
      'Joinery work at the town hall',
      "Menuiserie à l'hôtel de ville",
      'Roboty stolarskie w ratuszu',
      'Snekkerarbeid på rådhuset',
    ),
    lots: [],
  },
  {
    cpv: '72267000',
    moreCpv: ['48000000'],
    nature: 'services',
    thousands: [90, 1500],
    title: words(
      'Pflege und Betrieb des Fachverfahrens Meldewesen',
      'Maintenance of the residents register software',
      "Maintenance du logiciel de l'état civil",
      'Utrzymanie systemu ewidencji ludności',
      'Drift av folkeregistersystem',
    ),
    lots: [],
  },
  {
    cpv: '48000000',
    moreCpv: ['72263000'],
    nature: 'supplies',
    thousands: [50, 900],
    title: words(
      'Einführung eines Dokumentenmanagements',
      'Document management software',
      'Logiciel de gestion documentaire',
      'System zarządzania dokumentami',
      'Dokumenthåndteringssystem',
    ),
    lots: [],
  },
  {
    cpv: '30213100',
    moreCpv: ['30200000'],
    nature: 'supplies',
    thousands: [80, 1200],
    title: words(
      'Lieferung von Notebooks für Schulen',
      'Supply of portable computers for schools',
      "Fourniture d'ordinateurs portables pour les écoles",
      'Dostawa laptopów dla szkół',
      'Levering av bærbare datamaskiner til skoler',
    ),
    lots: [
      {
        cpv: '30213100',
        title: words('Notebooks', 'Portable computers', 'Ordinateurs portables', 'Laptopy', 'Bærbare datamaskiner'),
      },
      { cpv: '30231300', title: words('Bildschirme', 'Display screens', 'Écrans', 'Monitory', 'Skjermer') },
    ],
  },
  {
    cpv: '90910000',
    moreCpv: ['90919200'],
    nature: 'services',
    thousands: [100, 2400],
    title: words(
      'Unterhaltsreinigung öffentlicher Gebäude',
      'Cleaning of public buildings',
      'Nettoyage des bâtiments publics',
      'Sprzątanie budynków publicznych',
      'Renhold av offentlige bygg',
    ),
    lots: [
      { cpv: '90919200', title: words('Verwaltungsgebäude', 'Offices', 'Bureaux', 'Biura', 'Kontorer') },
      { cpv: '90911300', title: words('Glasreinigung', 'Window cleaning', 'Vitrerie', 'Mycie okien', 'Vinduspuss') },
    ],
  },
  {
    cpv: '90511000',
    moreCpv: ['90500000'],
    nature: 'services',
    thousands: [400, 8000],
    title: words(
      'Sammlung und Transport von Bioabfall',
      'Collection of organic waste',
      'Collecte des biodéchets',
      'Odbiór bioodpadów',
      'Innsamling av matavfall',
    ),
    lots: [],
  },
  {
    cpv: '33140000',
    nature: 'supplies',
    thousands: [40, 900],
    title: words(
      'Medizinisches Verbrauchsmaterial',
      'Medical consumables',
      'Consommables médicaux',
      'Materiały medyczne jednorazowego użytku',
      'Medisinsk forbruksmateriell',
    ),
    lots: [
      { cpv: '33141110', title: words('Verbandmaterial', 'Dressings', 'Pansements', 'Opatrunki', 'Bandasjer') },
      { cpv: '33141420', title: words('Handschuhe', 'Gloves', 'Gants', 'Rękawice', 'Hansker') },
      { cpv: '33141310', title: words('Spritzen', 'Syringes', 'Seringues', 'Strzykawki', 'Sprøyter') },
    ],
  },
  {
    cpv: '33111000',
    nature: 'supplies',
    thousands: [300, 2500],
    title: words(
      'Röntgengerät für die Notaufnahme',
      'X-ray equipment for the emergency department',
      'Équipement de radiologie pour les urgences',
      'Aparat rentgenowski dla oddziału ratunkowego',
      'Røntgenutstyr til akuttmottaket',
    ),
    lots: [],
  },
  {
    cpv: '71240000',
    moreCpv: ['71320000'],
    nature: 'services',
    thousands: [70, 1800],
    title: words(
      'Planungsleistungen für das Hallenbad',
      'Architectural services for the swimming pool',
      "Maîtrise d'œuvre de la piscine",
      'Usługi projektowe dla pływalni',
      'Prosjektering av svømmehall',
    ),
    lots: [],
  },
  {
    cpv: '79710000',
    nature: 'services',
    thousands: [60, 1100],
    title: words(
      'Bewachung des Verwaltungszentrums',
      'Security services for the civic centre',
      'Gardiennage du centre administratif',
      'Ochrona centrum administracyjnego',
      'Vakthold for administrasjonssenteret',
    ),
    lots: [],
  },
  {
    cpv: '60130000',
    nature: 'services',
    thousands: [150, 3000],
    title: words(
      'Schülerbeförderung im freigestellten Verkehr',
      'School transport',
      'Transport scolaire',
      'Dowóz uczniów do szkół',
      'Skoleskyss',
    ),
    lots: [
      {
        cpv: '60130000',
        title: words('Linien Nord', 'Northern routes', 'Lignes nord', 'Linie północne', 'Nordlige ruter'),
      },
      {
        cpv: '60130000',
        title: words('Linien Süd', 'Southern routes', 'Lignes sud', 'Linie południowe', 'Sørlige ruter'),
      },
    ],
  },
  {
    cpv: '34144210',
    nature: 'supplies',
    thousands: [350, 900],
    title: words(
      'Löschgruppenfahrzeug für die Feuerwehr',
      'Firefighting vehicle',
      "Véhicule d'incendie",
      'Wóz strażacki',
      'Brannbil',
    ),
    lots: [],
  },
  {
    cpv: '09310000',
    nature: 'supplies',
    thousands: [200, 7000],
    title: words(
      'Lieferung von Ökostrom',
      'Supply of electricity from renewable sources',
      "Fourniture d'électricité verte",
      'Dostawa energii elektrycznej',
      'Levering av fornybar strøm',
    ),
    lots: [],
  },
  {
    cpv: '55520000',
    moreCpv: ['55524000'],
    nature: 'services',
    thousands: [80, 1600],
    title: words(
      'Mittagsverpflegung in Kindertagesstätten',
      'Meals for nurseries',
      'Restauration des crèches',
      'Catering dla przedszkoli',
      'Lunsj i barnehager',
    ),
    lots: [],
  },
  {
    cpv: '77310000',
    nature: 'services',
    thousands: [30, 600],
    title: words(
      'Grünflächenpflege',
      'Maintenance of green areas',
      'Entretien des espaces verts',
      'Utrzymanie zieleni',
      'Skjøtsel av grøntområder',
    ),
    lots: [],
  },
  {
    cpv: '45259900',
    moreCpv: ['45252100'],
    nature: 'works',
    thousands: [900, 12000],
    title: words(
      'Ertüchtigung der Kläranlage',
      'Upgrade of the sewage treatment plant',
      "Modernisation de la station d'épuration",
      'Modernizacja oczyszczalni ścieków',
      'Oppgradering av renseanlegg',
    ),
    lots: [],
  },
  {
    cpv: '39130000',
    nature: 'supplies',
    thousands: [40, 500],
    title: words('Büromöbel', 'Office furniture', 'Mobilier de bureau', 'Meble biurowe', 'Kontormøbler'),
    lots: [],
  },
  {
    cpv: '80500000',
    nature: 'services',
    thousands: [40, 450],
    title: words(
      'Berufsbezogene Sprachkurse',
      'Vocational language courses',
      'Formations linguistiques professionnelles',
      'Kursy językowe',
      'Yrkesrettede språkkurs',
    ),
    lots: [],
  },
  {
    cpv: '66510000',
    nature: 'services',
    thousands: [50, 800],
    title: words(
      'Gebäudeversicherung',
      'Property insurance',
      'Assurance des bâtiments',
      'Ubezpieczenie budynków',
      'Bygningsforsikring',
    ),
    lots: [],
  },
  {
    cpv: '64210000',
    nature: 'services',
    thousands: [60, 900],
    title: words(
      'Mobilfunk und Datenleitungen',
      'Telephone and data services',
      'Téléphonie et données',
      'Usługi telekomunikacyjne',
      'Telefoni og datatjenester',
    ),
    lots: [],
  },
]

export const firms = [
  'Halvorn Bau AG',
  'Nordlys Entreprenør AS',
  'Meridiane Services SAS',
  'Zakład Budowlany Orlik sp. z o.o.',
  'Castleway Facilities Ltd',
  'Tamm & Brekow GmbH',
  'Datenwerk Quist GmbH',
  'Lumenta Medical BV',
  'Grünspan Gartenbau GbR',
  'Ardoise Énergie SA',
  'Fjordnett Drift AS',
  'Pelham Orchard Catering Ltd',
]

export const streets: { readonly [country: string]: string } = {
  DE: 'Rathausplatz',
  AT: 'Hauptplatz',
  LU: 'Rue du Château',
  FR: 'Place de la Mairie',
  PL: 'ul. Ratuszowa',
  NO: 'Rådhusgata',
  GB: 'Civic Way',
  IE: 'Market Street',
}
