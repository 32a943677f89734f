/** Free text that people write, in bodies. */
export { readable } from '#core/kernel';
