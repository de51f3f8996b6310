// One consultation of an Atexo platform (LOCAL TRUST MPE): PLACE in France, the Portail des marchés publics in
// Luxembourg.
import type { ParsedPart } from '../../domain/notice.ts'
import { member, textsAt } from '../ocds/json.ts'
import { deadlineIn, titleIn } from '../read-values.ts'
import { cleanField } from '../text.ts'
import { firstMatch, homeOf, jsonParser } from './read-published-entry.ts'

const natures = { works: /travaux/i, supplies: /fourniture/i, services: /service/i }

const procedures = {
  'neg-wo-call': /sans (?:publi|mise en concurrence)/i,
  'comp-dial': /dialogue/i,
  innovation: /innovation/i,
  restricted: /restreint/i,
  'neg-w-call': /n[ée]goci/i,
  open: /ouvert/i,
}

/** Consultations on which buyers try the platform out. */
const trials = /ne pas utiliser|consultation technique test/i

/** The member that names the buyer: where all buy on one organization's account, its service does. */
type BuyerAt = 'organismeDenomination' | 'directionServiceLibelle'

/** The parser of one platform. It never throws. */
export function atexoParser(
  publisher: string,
  buyerAt: BuyerAt = 'organismeDenomination',
): (bytes: Uint8Array) => ParsedPart[] {
  const home = homeOf({ publisher, profile: 'atexo-mpe-v2', language: 'fr', currency: 'EUR' })
  return jsonParser(home, (entry, text) => {
    if (trials.test(text('intitule') ?? ''))
      return { reason: 'not-procurement', path: '/intitule', detail: 'a trial of the platform' }
    const id = cleanField(text('id'), 50)
    const published = text('dateMiseEnLigneCalcule', 'dateMiseEnLigne')
    const changed = text('dateModification')
    const procedure = cleanField(text('typeProcedureLibelle'), 200)
    const status = `${text('statutCalculeLibelle') ?? ''} ${text('typeAnnonceLibelle') ?? ''}`
    const deadline = deadlineIn(text('dateLimiteRemisePlis', 'dateLimiteRemiseOffres'), home.zone)
    return {
      id,
      formType: firstMatch({ result: /attribution/i, planning: /information/i }, status) ?? 'competition',
      noticeType: cleanField(text('typeAnnonceLibelle'), 100) ?? 'consultation',
      reference: cleanField(text('reference'), 200),
      title: titleIn(text('intitule', 'objet'), home.language),
      description: text('objet'),
      publishedAt: published,
      changedAt: changed,
      // Years from 2050 on mean "no deadline".
      deadline: deadline !== undefined && deadline < '2050' ? deadline : undefined,
      buyer: { name: text(buyerAt, 'organismeDenomination', 'directionServiceLibelle') },
      cpv: [
        text('codeCpvPrincipal'),
        textsAt(entry, 'codesCpvSecondaires'),
        ['1', '2', '3'].map((number) => text(`codeCpvSecondaire${number}`)),
      ],
      estimatedValue: member(entry, 'valeurEstimee'),
      procedureType: firstMatch(procedures, procedure),
      nature: firstMatch(natures, text('naturePrestationLibelle')),
      isCancelled: /annul/i.test(status),
      url: text('urlConsultation'),
      also: {
        // A consultation is changed in place: what changed shows in the date of change or in the deadline.
        id: id && `${id}@${changed ?? deadline ?? published ?? ''}`,
        noticeId: id,
        procedureId: id,
        procedureTypeNational: procedure,
      },
    }
  })
}
