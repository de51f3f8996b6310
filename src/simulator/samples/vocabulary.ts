// The words of the sample world: invented towns and companies, real codes. No authority in this list exists.
import { readFileSync } from 'node:fs'

const sampleLanguages = ['de', 'en', 'fr', 'pl', 'nb'] as const
export type SampleLanguage = (typeof sampleLanguages)[number]
export type Words = { readonly [language in SampleLanguage]: string }

/** Where buyers are: `country` is ISO 3166-1 alpha-2, `authority` a pattern in which `*` is the town. */
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
      'Borkenthal|DE212|80901; Ilsemund|DE300|10901; Harnwede|DE929|30901; Tresenbrück|DEA23|50901; ' +
        'Wolmerau|DED51|04901; Gandelsfurt|DE712|60901; Ebershorn|DE600|20901; Lüttkenried|DEF02|24901; ' +
        'Velmstedt|DEG01|99901; Sommersall|DE111|70901; Ostrauken|DE803|18901; Quellmar|DEB35|55901',
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

/** The rows of data/subjects.tsv: a row without a nature is a lot of the subject above it. */
export const subjects: readonly Subject[] = readSubjects(
  readFileSync(new URL('./data/subjects.tsv', import.meta.url), 'utf8'),
)

function readSubjects(table: string): Subject[] {
  const found: (Subject & { readonly lots: Subject['lots'][number][] })[] = []
  for (const row of table.trimEnd().split('\n').slice(1)) {
    const [cpv, moreCpv, nature, least, most, de, en, fr, pl, nb] = row.split('\t') as [string, ...string[]]
    const title = { de, en, fr, pl, nb } as Words
    if (!nature) found.at(-1)!.lots.push({ cpv, title })
    else
      found.push({
        cpv,
        ...(moreCpv && { moreCpv: moreCpv.split(' ') }),
        nature: nature as Subject['nature'],
        thousands: [Number(least), Number(most)],
        title,
        lots: [],
      })
  }
  return found
}

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
