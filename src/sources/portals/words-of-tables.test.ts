// Each word of the tables by which the portals' own formats are read: what it means for the notice.
import { describe, expect, test } from 'vitest'
import { loadSources } from '../registry.ts'

/** `path`: where the portal writes the word; `member`: where the notice has its meaning. */
type Table = {
  readonly id: string
  readonly entry: object
  readonly path: string
  readonly member: string
  readonly words: { readonly [word: string]: string }
}

const tables: readonly Table[] = [
  {
    id: 'ro-seap',
    entry: { noticeNo: 'CN1000001', contractTitle: 'Drumuri' },
    path: 'sysProcedureType/text',
    member: 'procedureType',
    words: {
      'licitatie deschisa': 'open',
      'licitatie restransa': 'restricted',
      'negociere competitiva': 'neg-w-call',
      'negociere fara publicare prealabila': 'neg-wo-call',
      'negociere fara invitatie/anunt prealabil de participare': 'neg-wo-call',
      'dialog competitiv': 'comp-dial',
      'parteneriat pentru inovare': 'innovation',
    },
  },
  {
    id: 'ro-seap',
    entry: { noticeNo: 'CN1000001', contractTitle: 'Drumuri' },
    path: 'sysAcquisitionContractType/text',
    member: 'contractNature',
    words: {
      lucrari: 'works',
      servicii: 'services',
      furnizare: 'supplies',
    },
  },
  {
    id: 'pt-base',
    entry: { nAnuncio: '1/2026', descricaoAnuncio: 'Estradas' },
    path: 'modeloAnuncio',
    member: 'procedureType',
    words: {
      'concurso publico': 'open',
      'concurso publico urgente': 'open',
      'concurso publico simplificado': 'open',
      'concurso limitado por previa qualificacao': 'restricted',
      'concurso limitado por previa qualificacao simplificado': 'restricted',
      'procedimento de negociacao': 'neg-w-call',
      'dialogo concorrencial': 'comp-dial',
      'parceria para a inovacao': 'innovation',
      'ajuste direto': 'neg-wo-call',
      'ajuste direto regime geral': 'neg-wo-call',
      'consulta previa': 'neg-wo-call',
    },
  },
  {
    id: 'mk-esjn',
    entry: { Id: 'a', Subject: 'Столови' },
    path: 'EntityProcedureType',
    member: 'procedureType',
    words: {
      open: 'open',
      openprocedure: 'open',
      simplifiedopen: 'open',
      simplifiedopenprocedure: 'open',
      lowestimatedvalueprocedure: 'open',
      restricted: 'restricted',
      restrictedprocedure: 'restricted',
      competitivenegotiated: 'neg-w-call',
      procedurefortalkingwithpreviousannouncement: 'neg-w-call',
      procedurefortalkingwithoutpreviousannouncement: 'neg-wo-call',
      competitivedialogue: 'comp-dial',
      innovationpartnership: 'innovation',
    },
  },
  {
    id: 'mk-esjn',
    entry: { Id: 'a', Subject: 'Столови' },
    path: 'GoodsWorksServices',
    member: 'contractNature',
    words: {
      goods: 'supplies',
      works: 'works',
      services: 'services',
    },
  },
  {
    id: 'be-bosa',
    entry: { publicationWorkspaceId: 'a', dossier: { titles: [{ language: 'NL', text: 'Wegen' }] } },
    path: 'dossier/procurementProcedureType',
    member: 'procedureType',
    words: {
      open: 'open',
      restricted: 'restricted',
      neg_w_call: 'neg-w-call',
      'neg-w-call': 'neg-w-call',
      neg_wo_call: 'neg-wo-call',
      'neg-wo-call': 'neg-wo-call',
      comp_dial: 'comp-dial',
      'comp-dial': 'comp-dial',
      innovation: 'innovation',
    },
  },
  {
    id: 'be-bosa',
    entry: { publicationWorkspaceId: 'a', dossier: { titles: [{ language: 'NL', text: 'Wegen' }] } },
    path: 'natures/0',
    member: 'contractNature',
    words: {
      works: 'works',
      supplies: 'supplies',
      services: 'services',
    },
  },
  {
    id: 'br-pncp',
    entry: { numeroControlePNCP: '12345678000100-1-000001/2026', objetoCompra: 'Estradas' },
    path: 'modalidadeId',
    member: 'procedureType',
    words: {
      '2': 'comp-dial',
      '4': 'open',
      '5': 'open',
      '6': 'open',
      '7': 'open',
      '9': 'neg-wo-call',
    },
  },
  {
    id: 'gr-kimdis',
    entry: { referenceNumber: '26PROC000000001', title: 'Δρόμοι' },
    path: 'procedureType/value',
    member: 'procedureType',
    words: {
      'ανοιχτη διαδικασια': 'open',
      'ανοικτη διαδικασια': 'open',
      'κλειστη διαδικασια': 'restricted',
      'ανταγωνιστικη διαδικασια με διαπραγματευση': 'neg-w-call',
      'διαπραγματευση με προηγουμενη προκηρυξη διαγωνισμου (αρ.266)': 'neg-w-call',
      'διαπραγματευση χωρις προηγουμενη δημοσιευση': 'neg-wo-call',
      'απευθειας αναθεση': 'neg-wo-call',
      'ανταγωνιστικος διαλογος': 'comp-dial',
      'συμπραξη καινοτομιας': 'innovation',
    },
  },
  {
    id: 'me-cejn',
    entry: { id: 1, title: 'Kotlovi' },
    path: 'typeOfProcedureCaption',
    member: 'procedureType',
    words: {
      'open procedure': 'open',
      'restricted procedure': 'restricted',
      'competitive dialogue': 'comp-dial',
      'competitive procedure with negotiation': 'neg-w-call',
      'negotiation procedure with prior publication': 'neg-w-call',
      'negotiation procedure without prior publication': 'neg-wo-call',
      'negotiation procedure without prior': 'neg-wo-call',
      'partnership for innovation': 'innovation',
    },
  },
  {
    id: 'me-cejn',
    entry: { id: 1, title: 'Kotlovi' },
    path: 'typeOfContractCaption',
    member: 'contractNature',
    words: {
      goods: 'supplies',
      works: 'works',
      services: 'services',
    },
  },
  {
    id: 'hr-eojn',
    entry: { Id: '1', Name: 'Ceste' },
    path: 'ProcedureType',
    member: 'procedureType',
    words: {
      'otvoreni postupak': 'open',
      'ograniceni postupak': 'restricted',
      'natjecateljski postupak uz pregovore': 'neg-w-call',
      'pregovaracki postupak s prethodnom objavom poziva na nadmetanje': 'neg-w-call',
      'pregovaracki postupak bez prethodne objave poziva na nadmetanje': 'neg-wo-call',
      'pregovaracki postupak bez prethodne objave': 'neg-wo-call',
      'natjecateljski dijalog': 'comp-dial',
      'partnerstvo za inovacije': 'innovation',
    },
  },
  {
    id: 'hr-eojn',
    entry: { Id: '1', Name: 'Ceste' },
    path: 'TypeContract',
    member: 'contractNature',
    words: {
      robe: 'supplies',
      roba: 'supplies',
      usluge: 'services',
      radovi: 'works',
    },
  },
  {
    id: 'ba-ejn',
    entry: { Id: '1', ProcedureName: 'Ceste' },
    path: 'ProcedureType',
    member: 'procedureType',
    words: {
      openprocedure: 'open',
      restrictedprocedure: 'restricted',
      negotiatedprocedure: 'neg-w-call',
      negotiatedprocedurewithoutpublication: 'neg-wo-call',
      competitivedialogue: 'comp-dial',
    },
  },
  {
    id: 'ba-ejn',
    entry: { Id: '1', ProcedureName: 'Ceste' },
    path: 'ContractType',
    member: 'contractNature',
    words: {
      works: 'works',
      goods: 'supplies',
      services: 'services',
    },
  },
  {
    id: 'rs-jnportal',
    entry: { Id: '1', TenderName: 'Путеви' },
    path: 'DocumentTypeShortName',
    member: 'formType',
    words: {
      Ф01: 'planning',
      Ф04: 'planning',
      Ф03: 'result',
      Ф06: 'result',
      Ф13: 'result',
      Ф15: 'dir-awa-pre',
      Ф20: 'cont-modif',
    },
  },
  {
    id: 'ch-simap',
    entry: { id: '6f9619ff-8b86-4011-b42d-00c04fc964ff', 'project-info': { title: { de: 'Strassen' } } },
    path: 'type',
    member: 'formType',
    words: {
      advance_notice: 'planning',
      request_for_information: 'consultation',
      tender: 'competition',
      competition: 'competition',
      study_contract: 'competition',
      participant_selection: 'competition',
      selective_offering_phase: 'competition',
      award: 'result',
      award_tender: 'result',
      award_competition: 'result',
      award_study_contract: 'result',
      direct_award: 'result',
      abandonment: 'competition',
      revocation: 'competition',
    },
  },
  {
    id: 'ch-simap',
    entry: { id: '6f9619ff-8b86-4011-b42d-00c04fc964ff', 'project-info': { title: { de: 'Strassen' } } },
    path: 'base/processType',
    member: 'procedureType',
    words: {
      open: 'open',
      selective: 'restricted',
      invitation: 'neg-wo-call',
      direct: 'neg-wo-call',
    },
  },
  {
    id: 'ch-simap',
    entry: { id: '6f9619ff-8b86-4011-b42d-00c04fc964ff', 'project-info': { title: { de: 'Strassen' } } },
    path: 'base/orderType',
    member: 'contractNature',
    words: {
      construction: 'works',
      supply: 'supplies',
      service: 'services',
    },
  },
  {
    id: 'ch-simap',
    entry: { id: '6f9619ff-8b86-4011-b42d-00c04fc964ff', 'project-info': { title: { de: 'Strassen' } } },
    path: 'procurement/orderAddress/cantonId',
    member: 'nutsCodes/0',
    words: {
      VD: 'CH011',
      VS: 'CH012',
      GE: 'CH013',
      BE: 'CH021',
      FR: 'CH022',
      SO: 'CH023',
      NE: 'CH024',
      JU: 'CH025',
      BS: 'CH031',
      BL: 'CH032',
      AG: 'CH033',
      ZH: 'CH040',
      GL: 'CH051',
      SH: 'CH052',
      AR: 'CH053',
      AI: 'CH054',
      SG: 'CH055',
      GR: 'CH056',
      TG: 'CH057',
      LU: 'CH061',
      UR: 'CH062',
      SZ: 'CH063',
      OW: 'CH064',
      NW: 'CH065',
      ZG: 'CH066',
      TI: 'CH070',
    },
  },
  {
    id: 'co-secop2',
    entry: { id_del_proceso: 'CO1', nombre_del_procedimiento: 'Vías' },
    path: 'tipo_de_contrato',
    member: 'contractNature',
    words: {
      obra: 'works',
      suministros: 'supplies',
      suministro: 'supplies',
      compraventa: 'supplies',
      'prestacion de servicios': 'services',
      consultoria: 'services',
      interventoria: 'services',
      servicios: 'services',
      'servicios financieros': 'services',
      seguros: 'services',
    },
  },
  {
    id: 'pl-bzp',
    entry: { objectId: 'a', orderObject: 'Drogi' },
    path: 'noticeType',
    member: 'formType',
    words: {
      contractnotice: 'competition',
      smallcontractnotice: 'competition',
      competitionnotice: 'competition',
      concessionnotice: 'competition',
      agreementintentionnotice: 'dir-awa-pre',
      concessionintentionagreementnotice: 'dir-awa-pre',
      tenderresultnotice: 'result',
      competitionresultnotice: 'result',
      concessionagreementnotice: 'result',
      noticeupdatenotice: 'change',
      noticeupdateconcession: 'change',
      agreementupdatenotice: 'cont-modif',
      concessionupdateagreementnotice: 'cont-modif',
      contractperformingnotice: 'completion',
      circumstancesfulfillmentnotice: 'completion',
    },
  },
  {
    id: 'pl-bzp',
    entry: { objectId: 'a', orderObject: 'Drogi' },
    path: 'orderType',
    member: 'contractNature',
    words: {
      works: 'works',
      delivery: 'supplies',
      services: 'services',
    },
  },
  {
    id: 'nl-tenderned',
    entry: { publicatieId: '1', aanbestedingNaam: 'Wegen' },
    path: 'typePublicatie',
    member: 'formType',
    words: {
      vak: 'planning',
      aao: 'competition',
      ago: 'result',
      rec: 'change',
      mac: 'consultation',
      vbe: 'competition',
      aaw: 'cont-modif',
    },
  },
  {
    id: 'nl-tenderned',
    entry: { publicatieId: '1', aanbestedingNaam: 'Wegen' },
    path: 'procedureCode/code',
    member: 'procedureType',
    words: {
      ope: 'open',
      nop: 'open',
      nio: 'restricted',
      mop: 'neg-w-call',
      onm: 'neg-w-call',
      ozb: 'neg-wo-call',
      cgd: 'comp-dial',
      inp: 'innovation',
    },
  },
  {
    id: 'nl-tenderned',
    entry: { publicatieId: '1', aanbestedingNaam: 'Wegen' },
    path: 'typeOpdrachtCode/code',
    member: 'contractNature',
    words: {
      w: 'works',
      l: 'supplies',
      d: 'services',
    },
  },
  {
    id: 'fr-boamp',
    entry: { idweb: '26-1', objet: 'Routes', nomacheteur: 'Ville' },
    path: 'nature',
    member: 'formType',
    words: {
      appel_offre: 'competition',
      attribution: 'result',
      rectificatif: 'change',
      preinformation: 'planning',
      periodique: 'planning',
      qualification: 'competition',
      concours: 'competition',
      intention_conclure: 'dir-awa-pre',
      exante_volontaire: 'dir-awa-pre',
      modification: 'cont-modif',
    },
  },
  {
    id: 'fr-boamp',
    entry: { idweb: '26-1', objet: 'Routes', nomacheteur: 'Ville' },
    path: 'procedure_categorise',
    member: 'procedureType',
    words: {
      ouvert: 'open',
      'procedure ouverte': 'open',
      restreint: 'restricted',
      'procedure restreinte': 'restricted',
      negocie: 'neg-w-call',
      'procedure negociee': 'neg-w-call',
      'dialogue competitif': 'comp-dial',
      dialogue_competitif: 'comp-dial',
      "partenariat d'innovation": 'innovation',
    },
  },
  {
    id: 'fr-boamp',
    entry: { idweb: '26-1', objet: 'Routes', nomacheteur: 'Ville' },
    path: 'type_marche/0',
    member: 'contractNature',
    words: {
      travaux: 'works',
      fournitures: 'supplies',
      services: 'services',
    },
  },
  {
    id: 'fr-decp-awards',
    entry: { id: '1', acheteur_id: '1', objet: 'Routes' },
    path: 'procedure',
    member: 'procedureType',
    words: {
      "appel d'offres ouvert": 'open',
      "appel d'offres restreint": 'restricted',
      'procedure avec negociation': 'neg-w-call',
      'procedure negociee avec mise en concurrence prealable': 'neg-w-call',
      'marche passe sans publicite ni mise en concurrence prealable': 'neg-wo-call',
      'dialogue competitif': 'comp-dial',
    },
  },
  {
    id: 'es-catalunya',
    entry: { codi_expedient: '1', objecte_contracte: 'Carrers', nom_organ: 'Ajuntament' },
    path: 'procediment',
    member: 'procedureType',
    words: {
      obert: 'open',
      'obert simplificat': 'open',
      'obert simplificat abreujat': 'open',
      restringit: 'restricted',
      'licitacio amb negociacio': 'neg-w-call',
      'negociat amb publicitat': 'neg-w-call',
      'negociat sense publicitat': 'neg-wo-call',
      'contracte menor': 'neg-wo-call',
      'adjudicacions directes no menors': 'neg-wo-call',
      'dialeg competitiu': 'comp-dial',
      'associacio per a la innovacio': 'innovation',
    },
  },
  {
    id: 'es-catalunya',
    entry: { codi_expedient: '1', objecte_contracte: 'Carrers', nom_organ: 'Ajuntament' },
    path: 'tipus_contracte',
    member: 'contractNature',
    words: {
      obres: 'works',
      subministraments: 'supplies',
      serveis: 'services',
    },
  },
  {
    id: 'fi-hilma',
    entry: { noticeId: '1', titleFi: 'Tiet' },
    path: 'mainType',
    member: 'formType',
    words: {
      contractnotices: 'competition',
      nationalnotices: 'competition',
      priorinformationnotices: 'planning',
      procurementplan: 'planning',
      contractawardnotices: 'result',
      contractmodificationnotices: 'cont-modif',
      directpurchases: 'dir-awa-pre',
    },
  },
  {
    id: 'lv-iub',
    entry: { identifier: '1', name: 'Ceļi' },
    path: 'formType',
    member: 'formType',
    words: {
      planning: 'planning',
      competition: 'competition',
      result: 'result',
      execution: 'completion',
      'cont-modif': 'cont-modif',
      'dir-awa-pre': 'dir-awa-pre',
      consultation: 'consultation',
      change: 'change',
    },
  },
  {
    id: 'zz-world-bank',
    entry: { id: 'OP1', bid_description: 'Roads' },
    path: 'procurement_group',
    member: 'contractNature',
    words: {
      cw: 'works',
      go: 'supplies',
      cs: 'services',
      nc: 'services',
    },
  },
  {
    id: 'zz-world-bank',
    entry: { id: 'OP1', bid_description: 'Roads' },
    path: 'notice_lang_name',
    member: 'language',
    words: {
      english: 'en',
      french: 'fr',
      spanish: 'es',
      portuguese: 'pt',
      russian: 'ru',
      arabic: 'ar',
    },
  },
]

/** The entry with the word at the path; `0` is the place in a list. */
function withWord(entry: object, path: string, word: string): object {
  const [step, ...rest] = path.split('/')
  const held: unknown = (entry as { readonly [member: string]: unknown })[step!]
  if (step === '0') return [rest.length === 0 ? word : withWord({}, rest.join('/'), word)]
  return { ...entry, [step!]: rest.length === 0 ? word : withWord((held as object) ?? {}, rest.join('/'), word) }
}

const sources = await loadSources()

describe.each(tables)('$id: $path', ({ id, entry, path, member, words }) => {
  test.each([...Object.entries(words), ['a word of no table', undefined] as const])('%s is %s', (word, meaning) => {
    const parts = sources.get(id)!.parse!(Buffer.from(JSON.stringify(withWord(entry, path, word))))
    if (parts.length !== 1 || !('notice' in parts[0]!)) throw new Error(`not one notice: ${JSON.stringify(parts)}`)
    const found = member
      .split('/')
      .reduce((at: unknown, step) => (at as { [name: string]: unknown })[step], parts[0].notice)
    if (meaning !== undefined) expect(found).toBe(meaning)
    else expect(['competition', 'result', 'en', undefined]).toContain(found)
  })
})

function readText(id: string, text: string) {
  const [part] = sources.get(id)!.parse!(Buffer.from(text))
  if (!part || !('notice' in part)) throw new Error(`no notice: ${JSON.stringify(part)}`)
  return part.notice
}

const entryOf = (members: string): string =>
  `<entry><id>https://example.org/7</id><ContractFolderStatus>${members}</ContractFolderStatus></entry>`
const project = '<ProcurementProject><Name>Carreteras</Name></ProcurementProject>'

test.each([
  ['PRE', 'planning'],
  ['PUB', 'competition'],
  ['EV', 'competition'],
  ['ADJ', 'competition'],
  ['RES', 'competition'],
  ['ANUL', 'competition'],
])('es-placsp-643: an entry in the state %s is one of %s', (state, form) => {
  const status = `<ContractFolderStatusCode>${state}</ContractFolderStatusCode>`
  expect(readText('es-placsp-643', entryOf(status + project)).formType).toBe(form)
})

test.each(['ADJ', 'RES'])('es-placsp-643: an entry in the state %s that has results is one of them', (state) => {
  const result =
    '<TenderResult><ResultCode>8</ResultCode><WinningParty><PartyName><Name>A</Name></PartyName></WinningParty></TenderResult>'
  const status = `<ContractFolderStatusCode>${state}</ContractFolderStatusCode>`
  expect(readText('es-placsp-643', entryOf(status + project + result)).formType).toBe('result')
})

test.each([
  ['1', 'open'],
  ['2', 'restricted'],
  ['3', 'neg-wo-call'],
  ['4', 'neg-w-call'],
  ['5', 'comp-dial'],
  ['6', 'neg-wo-call'],
  ['9', 'open'],
  ['10', 'innovation'],
  ['13', 'neg-w-call'],
  ['7', undefined],
  ['100', undefined],
])('es-placsp-643: the procedure %s is %s', (code, procedure) => {
  const process = `<TenderingProcess><ProcedureCode>${code}</ProcedureCode></TenderingProcess>`
  expect(readText('es-placsp-643', entryOf(project + process)).procedureType).toBe(procedure)
})

test.each([
  ['1', 'supplies'],
  ['2', 'services'],
  ['3', 'works'],
  ['21', 'services'],
  ['22', 'services'],
  ['31', 'works'],
  ['32', 'works'],
  ['7', undefined],
])('es-placsp-643: the nature %s is %s', (code, nature) => {
  const typed = `<ProcurementProject><Name>Carreteras</Name><TypeCode>${code}</TypeCode></ProcurementProject>`
  expect(readText('es-placsp-643', entryOf(typed)).contractNature).toBe(nature)
})

const kerndaten = (name: string, procedure = '', type = 'WORKS'): string =>
  `<${name}><OBJECT_CONTRACT><TITLE><P>Straßen</P></TITLE><REFERENCE_NUMBER>7</REFERENCE_NUMBER>` +
  `<TYPE_CONTRACT CTYPE="${type}"/></OBJECT_CONTRACT><PROCEDURE>${procedure}</PROCEDURE></${name}>`

test.each([
  ['KD_8_1_Z1', 'planning'],
  ['KD_8_1_Z2', 'competition'],
  ['KD_8_1_Z3', 'competition'],
  ['KD_8_1_Z4', 'dir-awa-pre'],
  ['KD_8_1_Z5', 'competition'],
  ['KD_8_2_Z1', 'result'],
  ['KD_8_2_Z2', 'result'],
  ['KD_8_2_Z3', 'cont-modif'],
  ['KD_7_2_Z1', 'result'],
  ['KD_8_9_Z9', 'competition'],
])('at-kdq-bbg: a document %s is one of %s', (name, form) => {
  expect(readText('at-kdq-bbg', kerndaten(name)).formType).toBe(form)
})

test.each([
  ['PT_OPEN', 'open'],
  ['PT_RESTRICTED', 'restricted'],
  ['PT_COMPETITIVE_NEGOTIATION', 'neg-w-call'],
  ['PT_NEGOTIATED_WITH_PRIOR_CALL', 'neg-w-call'],
  ['PT_NEGOTIATED_WITH_CALL', 'neg-w-call'],
  ['PT_NEGOTIATED_WITHOUT_PUBLICATION', 'neg-wo-call'],
  ['PT_AWARD_CONTRACT_WITHOUT_CALL', 'neg-wo-call'],
  ['PT_COMPETITIVE_DIALOGUE', 'comp-dial'],
  ['PT_INNOVATION_PARTNERSHIP', 'innovation'],
  ['PT_OTHER', undefined],
])('at-kdq-bbg: the procedure %s is %s', (name, procedure) => {
  expect(readText('at-kdq-bbg', kerndaten('KD_8_1_Z2', `<${name}/>`)).procedureType).toBe(procedure)
})

test.each(['works', 'supplies', 'services'])('at-kdq-bbg: the nature of %s', (nature) => {
  expect(readText('at-kdq-bbg', kerndaten('KD_8_1_Z2', '', nature.toUpperCase())).contractNature).toBe(nature)
})

test('cy-awarded-contracts: a contract whose winner is not named is one of its tender', () => {
  const heads = 'CFTID,ORGANIZATIONNAME,CFTTITLE,EONAME'
  const read = (winner: string) => readText('cy-awarded-contracts', `${heads}\n7,Δήμος,Τραπέζια,${winner}\n`)
  expect(read('ABC Ltd')).toMatchObject({
    noticeKey: 'cy-awarded-contracts:7/abc ltd',
    lots: [{ result: { winners: [{ name: 'ABC Ltd' }] } }],
  })
  expect(read('')).toMatchObject({ noticeKey: 'cy-awarded-contracts:7' })
  expect(read('').lots[0]?.result).not.toHaveProperty('winners')
})
