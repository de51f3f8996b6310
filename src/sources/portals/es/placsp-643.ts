// Spain: PLACSP, the syndication of the buyers that publish on the state's platform.
import { placspSource } from '../../families/placsp.ts'

export const source = placspSource({
  id: 'es-placsp-643',
  title: 'Plataforma de Contratación del Sector Público (sindicación 643)',
  number: 643,
  file: 'licitacionesPerfilesContratanteCompleto3',
  minutes: { newest: 5, months: 17 },
  firstYear: 2012,
  perDay: [200, 3_000],
  clients: [
    'https://github.com/BquantFinance/licitaciones-espana/blob/0fbb90db6e5683e61de74fbbf36a3711b8ec664a/nacional/licitaciones.py',
    'https://github.com/aquilagestion/grefa-licitaciones/blob/62ade4262bd71cfc44f00b0bf1113cac0ae01df7/modules/historico_placsp.py',
    'https://github.com/postmocultura-creator/radar-licitaciones-marketing/blob/096cab081d2e2e1579d00de7a79ffeb5e3ace728/scrapers/placsp.py',
  ],
  caveats: [],
})
