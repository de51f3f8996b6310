// What is left of the mails of a digest whose search is deleted.
import type { Executor } from '../store/database/database.ts'
import { lockMailsWith, rewriteMail } from '../store/people/mails.ts'
import { contentWithout, readContent } from './digest-content.ts'

/** Takes the search of a digest out of every mail that is stored, sent or not; a mail that had nothing else goes. */
export async function forgetSearch(trx: Executor, digestId: string): Promise<void> {
  for (const mail of await lockMailsWith(trx, digestId)) {
    const left = contentWithout(readContent(mail.content, mail.digestId), digestId)
    await rewriteMail(trx, mail.messageId, left && JSON.stringify(left))
  }
}
