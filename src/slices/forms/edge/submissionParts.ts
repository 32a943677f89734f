/** What submissions are taken with in a process, and who sends them. */
export { submissionPartsOf, submitterOf as actorOf } from '#slices/forms';
