/** Transactions: the log, or one of them. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { TransactionList } from './transactionList.tsx';
import { TransactionPage } from './transactionPage.tsx';

export const Page = ({ id }: AreaProps): JSX.Element =>
  id === undefined ? <TransactionList /> : <TransactionPage id={id} />;
