// A row of CanadaBuys' table of tender notices to a notice in both official languages.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type Row, readRowDocument } from '../../read-portal-notice.ts'
import { descriptionIn, titleIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry, wordsOf } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'ca-canadabuys',
  profile: 'canadabuys-tender-notice',
  language: 'en',
  zone: 'America/Toronto',
  country: 'CA',
  currency: 'CAD',
}

export function parseCanadabuys(bytes: Uint8Array): ParsedPart[] {
  return readRowDocument(bytes, readRow)
}

function readRow(row: Row): Notice | Rejection {
  const type = wordsOf(row['noticeType-avisType-eng']) ?? ''
  const status = row['tenderStatus-appelOffresStatut-eng'] ?? ''
  const amendment = wordsOf(row['amendmentNumber-numeroModification'])
  const method = row['procurementMethod-methodeApprovisionnement-eng']
  const isAmended = amendment !== undefined && Number(amendment) > 0
  const read = readPublishedEntry(home, {
    id: row['referenceNumber-numeroReference'],
    version: amendment ?? '0',
    formType: formOf(type, status),
    noticeType: type || 'tender notice',
    procedureId: row['solicitationNumber-numeroSollicitation'],
    reference: row['solicitationNumber-numeroSollicitation'],
    title: wordsOf(row['title-titre-eng']) ?? row['title-titre-fra'],
    publishedAt: row['publicationDate-datePublication'],
    changedAt: isAmended ? row['amendmentDate-dateModification'] : undefined,
    deadline: row['tenderClosingDate-appelOffresDateCloture'],
    buyer: {
      name: row['contractingEntityName-nomEntitContractante-eng'],
      city: row['contractingEntityAddressCity-entiteContractanteAdresseVille-eng'],
      email: row['contactInfoEmail-informationsContactCourriel'],
    },
    procedureType: procedureOf(method ?? ''),
    nationalProcedure: method,
    nature: natureOf(row['procurementCategory-categorieApprovisionnement'] ?? ''),
    changeReasons: isAmended ? ['update-add'] : undefined,
    isCancelled: /^cancel/i.test(status),
    url: row['noticeURL-URLavis-eng'],
  })
  if (!('noticeKey' in read)) return read
  const title = {
    ...titleIn(row['title-titre-eng'], 'en'),
    ...titleIn(row['title-titre-fra'], 'fr'),
  }
  const description = {
    ...descriptionIn(row['tenderDescription-descriptionAppelOffres-eng'], 'en'),
    ...descriptionIn(row['tenderDescription-descriptionAppelOffres-fra'], 'fr'),
  }
  const languages = [...new Set([...Object.keys(title), ...Object.keys(description)])]
  return {
    ...read,
    ...(Object.keys(title).length > 0 && { title }),
    ...(Object.keys(description).length > 0 && { description }),
    languages: languages.length > 0 ? languages : read.languages,
    language: 'en' in title || !('fr' in title) ? 'en' : 'fr',
  }
}

function formOf(type: string, status: string): FormType {
  if (/advance contract award/i.test(type)) return 'dir-awa-pre'
  if (/request for information|letter of interest|notice of planned|planned procurement/i.test(type)) return 'planning'
  return /^award/i.test(status) ? 'result' : 'competition'
}

/** `Competitive - Open Bidding`, `Competitive - Selective Tendering`, `Non-Competitive`. */
function procedureOf(method: string): ProcedureType | undefined {
  if (/non[- ]competitive/i.test(method)) return 'neg-wo-call'
  if (/open bidding/i.test(method)) return 'open'
  return /selective|limited/i.test(method) ? 'restricted' : undefined
}

/** `*CNST`, `*GD`, `*SRV`, `*SRVTGD`, several a line. */
function natureOf(category: string): string | undefined {
  if (/CNST/i.test(category)) return 'works'
  if (/SRV/i.test(category)) return 'services'
  return /GD/i.test(category) ? 'supplies' : undefined
}
