// Contracts of Aguascalientes, from the state's own digital platform.
import { linkedFiles } from '../../families/linked-files.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'mx-aguascalientes-plataforma-estatal',
  title: 'Plataforma Digital Estatal de Aguascalientes',
  publisher: 'Sistema Estatal Anticorrupción de Aguascalientes',
  homepage: 'https://plataformadigitalestatal.org/Publica/contratacionesPublicas/index.html',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/mexico_aguascalientes_plataforma_digital_estatal.py',
  ],
  channels: [
    // The only links that lead anywhere else; today to a file on Google Drive.
    linkedFiles(
      'https://plataformadigitalestatal.org/Publica/contratacionesPublicas/index.html',
      /<a[^>]+href="(https?:[^"]+)"/,
      { format: 'json', at: '/*/releases' },
      '15 8 * * 1',
      '<a href="https://plataformadigitalestatal.org/files/{key}.json">',
    ),
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 200, shape: ['html'] },
  caveats: [
    'A third party hosts the file; that may change.',
    'The file is a list of release packages.',
    'No public repository is known to keep an answer.',
  ],
  offBecause: 'one public program alone is known to read it: check it, then name it',
})
