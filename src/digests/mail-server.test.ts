import { expect, test } from 'vitest'
import { isNoRecipient } from './mail-server.ts'

test.each([
  '550 5.1.1 The email account that you tried to reach does not exist',
  '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 For more information, see the pages',
  '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  '550 5.1.1 <policy@spam.example>: Recipient address rejected: User unknown in virtual mailbox table',
  '553 5.1.3 Invalid address',
  '550 5.1.1 <x@a.example>: Recipient address rejected: User unknown in relay recipient table',
  '550 5.1.1 The sender asked for a mailbox that does not exist',
  '550 5.2.1 The mailbox is disabled',
  '550 No such user here',
  '551 User not local',
  // a word of a megabyte would be searched for hours: what comes after 1,000 characters is not examined
  `550 5.1.1 ${'x'.repeat(1000)} spam`,
])('%s: there is no such recipient', (answer) => {
  expect(isNoRecipient(answer)).toBe(true)
})

test.each([
  '450 4.1.1 User unknown, try again',
  '550 5.7.1 Relaying denied',
  '550 5.7.606 Access denied, banned sending IP',
  '550 5.4.1 Recipient address rejected: Access denied',
  '550 5.1.1 Your message was blocked as spam',
  '550 Blocked by policy',
  '550 SPF check failed',
  '553 Sorry, your sender address is not allowed',
  '552 5.2.2 Mailbox full',
  '554 5.7.1 Client host blocked using a list',
  '554 Transaction failed',
  '',
])('%s: says nothing about the recipient', (answer) => {
  expect(isNoRecipient(answer)).toBe(false)
})
