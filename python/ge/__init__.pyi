from ge import allocator as allocator
from ge import error as error
from ge import es as es
from ge import ge_global as ge_global
from ge import graph as graph
from ge import instrument as instrument
from ge import offline_compile as offline_compile
from ge import passes as passes
from ge import session as session
from ge import transform as transform
from ge import utils as utils
from ge._model import Model as Model
from ge._model import engines as engines
from ge._model import load as load
from ge._model import options as options
from ge._ports import Port as Port
from ge._state import State as State
from ge._traits import op_traits as op_traits
from ge._traits import set_op_traits as set_op_traits
from ge.error import GeError as GeError

__version__: str
