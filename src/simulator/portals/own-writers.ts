// How each portal with a shape of its own writes an announcement, by the id of its source; all others read eForms,
// TED_EXPORT or OCDS.

import type { PortalSample } from '../samples/portal-sample.ts'
import { writeKerndaten } from './at/write-kerndaten.ts'
import { writeOffenevergaben } from './at/write-offenevergaben.ts'
import { writeUsp } from './at/write-usp.ts'
import { writeEjn } from './ba/write-ejn.ts'
import { writeBosa } from './be/write-bosa.ts'
import { writeEop } from './bg/write-eop.ts'
import { writePncp } from './br/write-pncp.ts'
import { writeCanadabuys } from './ca/write-canadabuys.ts'
import { writeAmtsblatt } from './ch/write-amtsblatt.ts'
import { writeSimap } from './ch/write-simap.ts'
import { writeSecop2 } from './co/write-secop2.ts'
import { writeAwardedContracts } from './cy/write-awarded-contracts.ts'
import { writeVvz } from './cz/write-vvz.ts'
import { writeServiceBund } from './de/write-service-bund.ts'
import { writeUdbud } from './dk/write-udbud.ts'
import { writeCatalunya } from './es/write-catalunya.ts'
import { writePlacsp } from './es/write-placsp.ts'
import { writeFundingTenders } from './eu/write-funding-tenders.ts'
import { writeTedOpenData } from './eu/write-ted-open-data.ts'
import { writeHilma } from './fi/write-hilma.ts'
import { writeBoamp } from './fr/write-boamp.ts'
import { writeDecpAwards } from './fr/write-decp-awards.ts'
import { writeFlatRelease } from './gb/write-flat-release.ts'
import { writeKimdis } from './gr/write-kimdis.ts'
import { writeEojn } from './hr/write-eojn.ts'
import { writeEkr } from './hu/write-ekr.ts'
import { writeEtenders } from './ie/write-etenders.ts'
import { writeAnacCig } from './it/write-anac-cig.ts'
import { writeAnacPvl } from './it/write-anac-pvl.ts'
import { writeG2b } from './kr/write-g2b.ts'
import { writeVergaben } from './li/write-vergaben.ts'
import { writeCvpis } from './lt/write-cvpis.ts'
import { writeIub } from './lv/write-iub.ts'
import { writeCejn } from './me/write-cejn.ts'
import { writeEsjn } from './mk/write-esjn.ts'
import { writeTenderned } from './nl/write-tenderned.ts'
import { writeBzp } from './pl/write-bzp.ts'
import { writeBase, writeFoundInBase } from './pt/write-base.ts'
import { writeSeap } from './ro/write-seap.ts'
import { writeJnportal } from './rs/write-jnportal.ts'
import { writeEnarocanje } from './si/write-enarocanje.ts'
import { writeDelaware } from './us/write-delaware.ts'
import { writeGeorgia } from './us/write-georgia.ts'
import { writeSam, writeSamRow } from './us/write-sam.ts'
import { atexoWriter } from './write-atexo.ts'
import { writeUndp } from './zz/write-undp.ts'
import { writeWorldBank } from './zz/write-world-bank.ts'

/** The text of JSON, one element or a document of XML, or header and row of CSV, as the portal's answers hold it. */
export type SampleWriter = (notice: PortalSample) => string

export const ownWriters: { readonly [sourceId: string]: SampleWriter } = {
  'at-kdq-ankoe': writeKerndaten,
  'at-kdq-aus': writeKerndaten,
  'at-kdq-bbg': writeKerndaten,
  'at-kdq-vemap': writeKerndaten,
  'at-offenevergaben': writeOffenevergaben,
  'at-usp': writeUsp,
  'ba-ejn': writeEjn,
  'be-bosa': writeBosa,
  'bg-eop': writeEop,
  'br-pncp': writePncp,
  'ca-canadabuys': writeCanadabuys,
  'ch-amtsblatt': writeAmtsblatt,
  'ch-simap': writeSimap,
  'co-secop2': writeSecop2,
  'cy-awarded-contracts': writeAwardedContracts,
  'cz-vvz': writeVvz,
  'de-service-bund': writeServiceBund,
  'dk-udbud': writeUdbud,
  'es-catalunya': writeCatalunya,
  'es-placsp-1044': writePlacsp,
  'es-placsp-643': writePlacsp,
  'eu-funding-tenders': writeFundingTenders,
  'eu-ted-open-data': writeTedOpenData,
  'fi-hilma': writeHilma,
  'fr-boamp': writeBoamp,
  'fr-decp-awards': writeDecpAwards,
  'fr-place': atexoWriter('www.marches-publics.gouv.fr'),
  'gb-contracts-finder-csv': writeFlatRelease,
  'gr-kimdis': writeKimdis,
  'hr-eojn': writeEojn,
  'hu-ekr': writeEkr,
  'ie-etenders': writeEtenders,
  'it-anac-cig': writeAnacCig,
  'it-anac-pvl': writeAnacPvl,
  'kr-g2b': writeG2b,
  'li-vergaben': writeVergaben,
  'lt-cvpis': writeCvpis,
  'lu-pmp': atexoWriter('pmp.b2g.etat.lu'),
  'lv-iub': writeIub,
  'me-cejn': writeCejn,
  'mk-esjn': writeEsjn,
  'nl-tenderned': writeTenderned,
  'pl-bzp': writeBzp,
  'pt-base': writeBase,
  'pt-base-search': writeFoundInBase,
  'ro-seap': writeSeap,
  'rs-jnportal': writeJnportal,
  'si-enarocanje': writeEnarocanje,
  'us-delaware': writeDelaware,
  'us-georgia': writeGeorgia,
  'us-sam': writeSam,
  'us-sam-bulk': writeSamRow,
  'zz-undp': writeUndp,
  'zz-world-bank': writeWorldBank,
}
