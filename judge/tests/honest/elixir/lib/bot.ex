defmodule Bot do
  def main do
    for line <- IO.stream(:stdio, :line), do: answer(line)
    System.halt(0)
  end

  defp answer("{\"turn\"" <> rest) do
    [_, <<move, _::binary>>] = String.split(rest, "\"legal\":[")
    IO.puts("{\"move\":#{<<move>>}}")
  end

  defp answer("{\"end\"" <> _), do: :ok
  defp answer(_), do: IO.puts("{\"ready\":{\"legal_moves\":true}}")
end
