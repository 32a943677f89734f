/** Privacy: for what purposes personal data is processed, and who says whether it may be. */
export * from './mayProcess.ts';
export * from './purposes.ts';
