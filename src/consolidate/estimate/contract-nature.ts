// Works, supplies or services: what the notice says, else its CPV code, else the words of its title.
import { foldLetters } from '../../domain/name-words.ts'
import type { TenderContent } from '../../domain/tender.ts'

type Nature = 'works' | 'supplies' | 'services'

/** Folded German words of titles; where two kinds have one, the title says nothing. */
const titleWords: { readonly [nature in Nature]: RegExp } = {
  services: new RegExp(
    'reinigung|planung|dienstleistung|beratung|wartung|gutachten|versicherung|bewachung|sicherheitsdienst|beforderung' +
      '|catering|evaluation|evaluierung|studie\\b|konzept|winterdienst|entsorgung|begleitung|betreuung|prufung|steuerung' +
      '|uberwachung|untersuchung|qualifizierung|schulung|vermessung|transport|kampagne|agentur|support|pflege\\b|erbringung',
  ),
  supplies:
    /lieferung|beschaffung|\b(?:an)?kauf\b|fahrzeug|leasing|ausstattung|\bmobel|mobiliar|lizenz|hardware|notebook|gerat/,
  works: new RegExp(
    'arbeiten\\b|neubau|sanierung|umbau|ausbau\\b|rohbau|erneuerung|errichtung|instandsetzung|abbruch|tiefbau|kanalbau' +
      '|strassenbau|trockenbau|dachdeck|estrich|fliesen|sanitar|heizung|elektro(?:install|anlag|tech|arb)|landschaftsbau' +
      '|aussenanlag|gerust|luftung|fassade|fenster|bauleistung|bodenbelag|brucke|aufzug|putz',
  ),
}
const worksLaw = /\bvob\b/
const otherLaw = /\b(?:uvgo|vol ?\/? ?a)\b/

function natureOfCode(code: string | undefined): Nature | undefined {
  if (code === undefined) return undefined
  const division = Number(code.slice(0, 2))
  return division === 45 ? 'works' : division < 45 || division === 48 ? 'supplies' : 'services'
}

/** `notWorks`: supplies or services, which of the two is not said. */
export function natureOf(content: TenderContent): string | undefined {
  const { contractNature, lots, cpvCodes, legalBasis, title, description } = content
  const given = contractNature ?? lots.find((lot) => lot.contractNature)?.contractNature
  if (given) return given
  const ofCode = natureOfCode(cpvCodes[0] ?? lots.find((lot) => lot.cpvCodes.length > 0)?.cpvCodes[0])
  if (ofCode) return ofCode
  const folded = foldLetters(title)
  const named = (['works', 'supplies', 'services'] as const).filter((nature) => titleWords[nature].test(folded))
  const law = foldLetters(`${legalBasis ?? ''} ${title}\n${description ?? ''}`)
  const [isWorksLaw, isOtherLaw] = [worksLaw.test(law), otherLaw.test(law)]
  if (isWorksLaw !== isOtherLaw) {
    if (isWorksLaw) return 'works'
    const others = named.filter((nature) => nature !== 'works')
    return others.length === 1 ? others[0] : 'notWorks'
  }
  return named.length === 1 ? named[0] : undefined
}
