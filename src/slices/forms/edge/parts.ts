/** The ports of forms in a process. */
export { type FormParts, formPartsOf } from '#slices/forms';
