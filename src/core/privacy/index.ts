/**
 * Privacy: for what purposes personal data is processed, who says whether it may be, and what
 * slices hold of a person.
 */
export * from './dataSubject.ts';
export * from './erasure.ts';
export * from './holding.ts';
export * from './isHeld.ts';
export * from './mayProcess.ts';
export * from './purposes.ts';
