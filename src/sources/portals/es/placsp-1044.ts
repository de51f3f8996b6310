// Spain: PLACSP, the syndication of 17 regional platforms that the state's platform gathers.
import { placspSource } from '../../families/placsp.ts'

export const source = placspSource({
  id: 'es-placsp-1044',
  title: 'Plataforma de Contratación del Sector Público (plataformas agregadas, sindicación 1044)',
  number: 1044,
  file: 'PlataformasAgregadasSinMenores',
  minutes: { newest: 35, months: 47 },
  firstYear: 2016,
  perDay: [80, 1_500],
  clients: [
    'https://github.com/BquantFinance/licitaciones-espana/blob/0fbb90db6e5683e61de74fbbf36a3711b8ec664a/nacional/licitaciones.py',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/postmocultura-creator/radar-licitaciones-marketing/blob/096cab081d2e2e1579d00de7a79ffeb5e3ace728/scrapers/placsp.py',
  ],
  caveats: [
    'Seventeen regional platforms (Catalonia, Basque Country, Madrid, Andalusia …) that feed 643 leaves out; addresses lead there.',
  ],
})
