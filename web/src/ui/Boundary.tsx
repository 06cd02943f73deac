import { Component, type ReactNode } from 'react';

type Props = {
  fallback: (error: Error) => ReactNode;
  onError?: (error: Error) => void;
  /** A new value renders the children again. */
  resetKey?: string;
  children: ReactNode;
};

/** Prevents a failure in its children, such as a file that does not load, from blanking the page. */
export class Boundary extends Component<Props, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error) {
    this.props.onError?.(error);
  }

  override componentDidUpdate({ resetKey }: Props) {
    if (this.state.error && resetKey !== this.props.resetKey) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    return error ? this.props.fallback(error) : this.props.children;
  }
}
