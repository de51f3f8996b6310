// Texts of the first page.
import type { Texts } from './languages.ts'

const en = {
  title: 'One record per public tender',
  lead: 'Tenderstock gathers public-procurement notices, makes one record of all notices about a procurement, and serves the records by an API made for sync.',
  docs: 'Read the documentation',
}

const de: typeof en = {
  title: 'Ein Datensatz pro Ausschreibung',
  lead: 'Tenderstock sammelt Bekanntmachungen öffentlicher Aufträge, macht aus allen Bekanntmachungen eines Verfahrens einen Datensatz und liefert sie über eine API zum Abgleich.',
  docs: 'Zur Dokumentation',
}

export const homeTexts: Texts<typeof en> = { en, de }
