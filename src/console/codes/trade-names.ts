// Short names of the divisions of CPV, as trades call themselves: the official ones fill three lines of a facet.
import { codeLabel } from '../../domain/code-labels.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import type { Language } from '../frame/languages.ts'

/** By the first two digits. */
const names: { readonly [division: string]: { readonly [language in Language]: string } } = {
  '03': { en: 'Farming, forestry, fish', de: 'Landwirtschaft, Forst, Fischerei' },
  '09': { en: 'Energy and fuels', de: 'Energie und Brennstoffe' },
  '14': { en: 'Mining, basic metals', de: 'Bergbau, Metalle' },
  '15': { en: 'Food and drinks', de: 'Lebensmittel, Getränke' },
  '16': { en: 'Farm machinery', de: 'Landmaschinen' },
  '18': { en: 'Clothing, shoes', de: 'Kleidung, Schuhe' },
  '19': { en: 'Leather, textiles, plastics', de: 'Leder, Textilien, Kunststoffe' },
  '22': { en: 'Printed matter', de: 'Drucksachen' },
  '24': { en: 'Chemicals', de: 'Chemikalien' },
  '30': { en: 'Computers, office machines', de: 'Computer, Bürogeräte' },
  '31': { en: 'Electrical equipment, lighting', de: 'Elektrotechnik, Beleuchtung' },
  '32': { en: 'Radio, telephone, networks', de: 'Funk, Telefon, Netze' },
  '33': { en: 'Medical equipment, medicines', de: 'Medizintechnik, Arzneimittel' },
  '34': { en: 'Vehicles, transport equipment', de: 'Fahrzeuge, Verkehrsmittel' },
  '35': { en: 'Security, fire, police, defense', de: 'Sicherheit, Feuerwehr, Polizei, Militär' },
  '37': { en: 'Music, sport, toys', de: 'Musik, Sport, Spielzeug' },
  '38': { en: 'Laboratory, optics, precision', de: 'Labor, Optik, Messtechnik' },
  '39': { en: 'Furniture, furnishings', de: 'Möbel, Einrichtung' },
  '41': { en: 'Water', de: 'Wasser' },
  '42': { en: 'Industrial machinery', de: 'Industriemaschinen' },
  '43': { en: 'Machinery for mining, construction', de: 'Baumaschinen, Bergbaumaschinen' },
  '44': { en: 'Building materials', de: 'Baustoffe' },
  '45': { en: 'Construction work', de: 'Bauarbeiten' },
  '48': { en: 'Software', de: 'Software' },
  '50': { en: 'Repair, maintenance', de: 'Reparatur, Wartung' },
  '51': { en: 'Installation of equipment', de: 'Installation von Geräten' },
  '55': { en: 'Hotels, catering, canteens', de: 'Hotels, Verpflegung, Kantinen' },
  '60': { en: 'Transport of people and goods', de: 'Transport von Personen und Gütern' },
  '63': { en: 'Logistics, travel agencies', de: 'Logistik, Reisebüros' },
  '64': { en: 'Post, telecommunications', de: 'Post, Telekommunikation' },
  '65': { en: 'Public utilities', de: 'Versorgungsbetriebe' },
  '66': { en: 'Finance, insurance', de: 'Finanzen, Versicherungen' },
  '70': { en: 'Real estate', de: 'Immobilien' },
  '71': { en: 'Architecture, engineering', de: 'Architektur, Ingenieurleistungen' },
  '72': { en: 'IT services', de: 'IT-Dienste' },
  '73': { en: 'Research, development', de: 'Forschung, Entwicklung' },
  '75': { en: 'Public administration', de: 'Öffentliche Verwaltung' },
  '76': { en: 'Services for oil and gas', de: 'Dienste für Öl und Gas' },
  '77': { en: 'Gardens, forestry services', de: 'Grünpflege, Forstdienste' },
  '79': { en: 'Business, law, marketing, security', de: 'Recht, Beratung, Werbung, Bewachung' },
  '80': { en: 'Education, training', de: 'Bildung, Schulung' },
  '85': { en: 'Health, social services', de: 'Gesundheit, Soziales' },
  '90': { en: 'Waste, sewage, cleaning', de: 'Abfall, Abwasser, Reinigung' },
  '92': { en: 'Culture, sport, leisure', de: 'Kultur, Sport, Freizeit' },
  '98': { en: 'Other services', de: 'Andere Dienste' },
}

/** The short name of a division, the official one of any other code; undefined for a code that is not listed. */
export function tradeLabel(code: string, language: Language): string | undefined {
  const division = code.endsWith('000000') ? names[code.slice(0, 2)] : undefined
  return division?.[language] ?? codeLabel('cpv', code, language)
}

/** The name of the first code that has one, or of what covers it. */
export function tradeOf(
  { cpvCodes, lots }: Pick<TenderRecord, 'cpvCodes' | 'lots'>,
  language: Language,
): string | undefined {
  for (const code of [...cpvCodes, ...lots.flatMap((lot) => lot.cpvCodes)]) {
    const label = tradeLabel(code, language) ?? tradeLabel(`${code.slice(0, 2)}000000`, language)
    if (label !== undefined) return label
  }
  return undefined
}
