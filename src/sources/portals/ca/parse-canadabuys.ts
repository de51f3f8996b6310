// A row of CanadaBuys' table of tender notices to a notice in both official languages.
import type { FormType } from '../../../domain/notice.ts'
import { descriptionIn, titleIn } from '../../read-values.ts'
import { firstMatch, homeOf, rowParser, wordsOf } from '../read-published-entry.ts'

const home = homeOf({
  publisher: 'ca-canadabuys',
  profile: 'canadabuys-tender-notice',
  language: 'en',
  currency: 'CAD',
})

/** `Competitive - Open Bidding`, `Competitive - Selective Tendering`, `Non-Competitive`. */
const procedures = {
  'neg-wo-call': /non[- ]competitive/i,
  open: /open bidding/i,
  restricted: /selective|limited/i,
}

/** `*CNST`, `*GD`, `*SRV`, `*SRVTGD`, several a line. */
const natures = { works: /CNST/i, services: /SRV/i, supplies: /GD/i }

export const parseCanadabuys = rowParser(home, (row) => {
  const type = wordsOf(row['noticeType-avisType-eng']) ?? ''
  const status = row['tenderStatus-appelOffresStatut-eng'] ?? ''
  const amendment = wordsOf(row['amendmentNumber-numeroModification'])
  const method = row['procurementMethod-methodeApprovisionnement-eng']
  const isAmended = amendment !== undefined && Number(amendment) > 0
  const titles = {
    ...titleIn(row['title-titre-eng'], 'en'),
    ...titleIn(row['title-titre-fra'], 'fr'),
  }
  const descriptions = {
    ...descriptionIn(row['tenderDescription-descriptionAppelOffres-eng'], 'en'),
    ...descriptionIn(row['tenderDescription-descriptionAppelOffres-fra'], 'fr'),
  }
  const languages = [...new Set([...Object.keys(titles), ...Object.keys(descriptions)])]
  return {
    id: row['referenceNumber-numeroReference'],
    version: amendment ?? '0',
    formType: formOf(type, status),
    noticeType: type || 'tender notice',
    procedureId: row['solicitationNumber-numeroSollicitation'],
    reference: row['solicitationNumber-numeroSollicitation'],
    language: 'en' in titles || !('fr' in titles) ? 'en' : 'fr',
    languages: languages.length > 0 ? languages : undefined,
    title: titles,
    description: descriptions,
    publishedAt: row['publicationDate-datePublication'],
    changedAt: isAmended ? row['amendmentDate-dateModification'] : undefined,
    deadline: row['tenderClosingDate-appelOffresDateCloture'],
    buyer: {
      name: row['contractingEntityName-nomEntitContractante-eng'],
      city: row['contractingEntityAddressCity-entiteContractanteAdresseVille-eng'],
      email: row['contactInfoEmail-informationsContactCourriel'],
    },
    procedureType: firstMatch(procedures, method),
    nationalProcedure: method,
    nature: firstMatch(natures, row['procurementCategory-categorieApprovisionnement']),
    changeReasons: isAmended ? ['update-add'] : undefined,
    isCancelled: /^cancel/i.test(status),
    url: row['noticeURL-URLavis-eng'],
  }
})

function formOf(type: string, status: string): FormType {
  if (/advance contract award/i.test(type)) return 'dir-awa-pre'
  if (/request for information|letter of interest|notice of planned|planned procurement/i.test(type)) return 'planning'
  return /^award/i.test(status) ? 'result' : 'competition'
}
