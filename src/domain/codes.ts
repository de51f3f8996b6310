// Small closed code lists of the standards. CPV and NUTS have separate files.

/** procurement-procedure-type (BT-105), eForms SDK 1.15. */
export const procedureTypes = [
  'open',
  'restricted',
  'neg-w-call',
  'neg-wo-call',
  'comp-dial',
  'comp-tend',
  'innovation',
  'oth-single',
  'oth-mult',
  'exp-int-rail',
] as const
export type ProcedureType = (typeof procedureTypes)[number]

export function isProcedureType(code: string): code is ProcedureType {
  return (procedureTypes as readonly string[]).includes(code)
}

/**
 * ISO 3166-1 alpha-3 to alpha-2 for the codes that occur in notices; alpha-2 passes; `UK` → GB, `EL` → GR, `1A0`/`XKX`
 * → XK.
 */
const alpha2ByAlpha3: { readonly [alpha3: string]: string } = Object.fromEntries(
  Array.from(
    `AFG AF ALA AX ALB AL DZA DZ ASM AS AND AD AGO AO AIA AI ATA AQ ATG AG ARG AR ARM AM ABW AW AUS AU AUT AT AZE AZ BHS BS BHR BH BGD BD
BRB BB BLR BY BEL BE BLZ BZ BEN BJ BMU BM BTN BT BOL BO BES BQ BIH BA BWA BW BRA BR IOT IO BRN BN BGR BG BFA BF BDI BI CPV CV KHM KH
CMR CM CAN CA CYM KY CAF CF TCD TD CHL CL CHN CN CXR CX CCK CC COL CO COM KM COG CG COD CD COK CK CRI CR CIV CI HRV HR CUB CU CUW CW
CYP CY CZE CZ DNK DK DJI DJ DMA DM DOM DO ECU EC EGY EG SLV SV GNQ GQ ERI ER EST EE SWZ SZ ETH ET FLK FK FRO FO FJI FJ FIN FI FRA FR
GUF GF PYF PF ATF TF GAB GA GMB GM GEO GE DEU DE GHA GH GIB GI GRC GR GRL GL GRD GD GLP GP GUM GU GTM GT GGY GG GIN GN GNB GW GUY GY
HTI HT VAT VA HND HN HKG HK HUN HU ISL IS IND IN IDN ID IRN IR IRQ IQ IRL IE IMN IM ISR IL ITA IT JAM JM JPN JP JEY JE JOR JO KAZ KZ
KEN KE KIR KI PRK KP KOR KR KWT KW KGZ KG LAO LA LVA LV LBN LB LSO LS LBR LR LBY LY LIE LI LTU LT LUX LU MAC MO MDG MG MWI MW MYS MY
MDV MV MLI ML MLT MT MHL MH MTQ MQ MRT MR MUS MU MYT YT MEX MX FSM FM MDA MD MCO MC MNG MN MNE ME MSR MS MAR MA MOZ MZ MMR MM NAM NA
NRU NR NPL NP NLD NL NCL NC NZL NZ NIC NI NER NE NGA NG NIU NU NFK NF MKD MK MNP MP NOR NO OMN OM PAK PK PLW PW PSE PS PAN PA PNG PG
PRY PY PER PE PHL PH PCN PN POL PL PRT PT PRI PR QAT QA REU RE ROU RO RUS RU RWA RW BLM BL SHN SH KNA KN LCA LC MAF MF SPM PM VCT VC
WSM WS SMR SM STP ST SAU SA SEN SN SRB RS SYC SC SLE SL SGP SG SXM SX SVK SK SVN SI SLB SB SOM SO ZAF ZA SGS GS SSD SS ESP ES LKA LK
SDN SD SUR SR SJM SJ SWE SE CHE CH SYR SY TWN TW TJK TJ TZA TZ THA TH TLS TL TGO TG TKL TK TON TO TTO TT TUN TN TUR TR TKM TM TCA TC
TUV TV UGA UG UKR UA ARE AE GBR GB USA US UMI UM URY UY UZB UZ VUT VU VEN VE VNM VN VGB VG VIR VI WLF WF ESH EH YEM YE ZMB ZM ZWE ZW
1A0 XK XKX XK ROM RO`.matchAll(/(\w{3})\s+(\w{2})/g),
    ([, alpha3, alpha2]) => [alpha3, alpha2],
  ),
)
const alpha2Codes = new Set(Object.values(alpha2ByAlpha3))

/** A published country code as ISO 3166-1 alpha-2 (`XK` for Kosovo); undefined for an unknown country. */
export function toCountry(code: string | undefined): string | undefined {
  if (!code) return undefined
  const upper = code.trim().toUpperCase()
  if (upper === 'UK') return 'GB'
  if (upper === 'EL') return 'GR'
  return alpha2ByAlpha3[upper] ?? (alpha2Codes.has(upper) ? upper : undefined)
}

/** ISO 639-1: the languages that a notice may be in. */
const languages: ReadonlySet<string> = new Set(
  `ar bg bs ca cs cy da de el en es et eu fi fr ga gl hr hu hy is it ja ka ko lb lt lv mk mt nb nl nn no pl pt ro ru
sk sl sq sr sv tr uk zh`.match(/\w+/g),
)
/** Cached: every text of a notice names its language, and a lookup costs a microsecond. */
const languageByAlpha3 = new Map<string, string | undefined>()

/** Both codes of ISO 639-2 (`DEU`, `GER`) and those that were withdrawn (`MOL`); `CNR` is a kind of Serbian. */
function languageOf(alpha3: string): string | undefined {
  if (!languageByAlpha3.has(alpha3)) {
    const [language] = Intl.getCanonicalLocales(alpha3)[0]!.split('-')
    languageByAlpha3.set(alpha3, languages.has(language!) ? language : undefined)
  }
  return languageByAlpha3.get(alpha3)
}

/**
 * A published language code (ISO 639-2/3, 639-1, `EN`, `de-DE`) as ISO 639-1 lower case; undefined for anything else.
 */
export function toLanguage(code: string | undefined): string | undefined {
  if (!code) return undefined
  const trimmed = code.trim()
  if (/^[A-Za-z]{3}$/.test(trimmed)) return languageOf(trimmed.toUpperCase())
  return /^[A-Za-z]{2}(?:[-_][A-Za-z]+)?$/.test(trimmed) ? trimmed.slice(0, 2).toLowerCase() : undefined
}
