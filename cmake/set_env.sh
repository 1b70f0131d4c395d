# Source this (bash, zsh): programs and build scripts written for a GE toolkit then find this installation.
if [ -n "${BASH_SOURCE:-}" ]; then
  _ge_root="${BASH_SOURCE}"
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_ge_root="${(%):-%x}"'  # other shells could not read this
else
  _ge_root="$0"
fi
_ge_root="$(cd "$(dirname "${_ge_root}")" && pwd)"

# _ge_first NAME FOLDER: puts the folder in front of a list with colons, once.
_ge_first() {
  eval "_ge_list=\"\${$1:-}\""
  case ":${_ge_list}:" in
    *":$2:"*) ;;
    *) export "$1=$2${_ge_list:+:${_ge_list}}" ;;
  esac
}

export ASCEND_HOME_PATH="${_ge_root}"
export ASCEND_TOOLKIT_HOME="${_ge_root}"
export ASCEND_OPP_PATH="${_ge_root}/opp"
_ge_first PATH "${_ge_root}/bin"
_ge_first LD_LIBRARY_PATH "${_ge_root}/lib64"
_ge_first PYTHONPATH "${_ge_root}/python/site-packages"
_ge_first CMAKE_PREFIX_PATH "${_ge_root}"
unset _ge_root _ge_list
unset -f _ge_first
