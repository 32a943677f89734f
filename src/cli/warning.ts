/** What `doctor` says where something works and somebody should still know of it. */
export class CheckWarning extends Error {
  override readonly name = 'CheckWarning';
}
