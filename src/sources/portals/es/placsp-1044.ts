// Spain: PLACSP, the syndication of 17 regional platforms that the state's platform gathers.
import { placspSource } from '../../families/placsp.ts'

export const source = placspSource({
  id: 'es-placsp-1044',
  title: 'Plataforma de Contratación del Sector Público (plataformas agregadas, sindicación 1044)',
  number: 1044,
  file: 'PlataformasAgregadasSinMenores',
  minutes: { newest: 35, months: 47 },
  perDay: [80, 1_500],
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  caveats: [
    'Seventeen regional platforms (Catalonia, Basque Country, Madrid, Andalusia …) that feed 643 leaves out; addresses lead there.',
    'The monthly zips are expected under the name of the feed with the month; none has been seen live.',
  ],
})
